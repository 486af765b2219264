// Made by api/client/gen of api/openapi.json: do not edit.
/** The version of the interface that this client is made for. It is sent with each request. */
export const version = "2025-06";
