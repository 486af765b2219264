// This file owns the one place that names the packages: views take what they draw with from here.
import {h, render, Fragment} from "./preact.js";
import {useState, useEffect, useLayoutEffect, useRef, useMemo, useCallback} from "./hooks.js";
import {signal, computed, batch, effect} from "./signals.js";
import htm from "./htm.js";

/** @template T @typedef {import("./signals.js").Signal<T>} Signal */

export const html = htm.bind(h);
export {h, render, Fragment, useState, useEffect, useLayoutEffect, useRef, useMemo, useCallback, signal, computed, batch, effect};
