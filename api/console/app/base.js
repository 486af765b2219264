// This file owns the one place that names the packages that views draw with.
import {h, render} from "./preact.js";
import {useState, useEffect, useLayoutEffect, useRef, useMemo} from "./hooks.js";
import {signal, computed} from "./signals.js";
import htm from "./htm.js";

/** What templates name as tags. */
export const parts = {};
export const html = htm.bind((tag, ...rest) => h((typeof tag === "string" && parts[tag]) || tag, ...rest));
export {render, useState, useEffect, useLayoutEffect, useRef, useMemo, signal, computed};
