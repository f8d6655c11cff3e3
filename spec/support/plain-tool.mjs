// The plugin contract without an import of toolwire: what a stranger's plain-JS plugin writes by hand.

const closed = { additionalProperties: false };

/** A tool from its few differing parts; `readOnly` ones have no effects, others are ordered. */
export function tool(name, call, { properties = {}, required = [], readOnly = true, open = false, ...more } = {}) {
  return {
    name,
    title: `The ${name} probe`,
    description: `Probe tool ${name}.`,
    inputSchema: { type: 'object', properties, required, ...(open ? {} : closed) },
    annotations: { title: `The ${name} probe`, readOnlyHint: readOnly, destructiveHint: false, idempotentHint: readOnly, openWorldHint: false },
    call,
    ...more,
  };
}

/** "It ran and says no", by its brand. */
export const refusal = (message, { reason = message, data } = {}) =>
  Object.assign(new Error(message), { reason, data, [Symbol.for('toolwire.Refusal')]: true });

/** A protocol error, by its brand. */
export const rpcError = (code, message, data) =>
  Object.assign(new Error(message), { code, data, [Symbol.for('toolwire.RpcError')]: true });

/** Chosen result blocks, by their brand. */
export const content = (blocks, structured) =>
  Object.defineProperty({ blocks, structured }, Symbol.for('toolwire.content'), { value: true });

/** Resolves after `ms`, or rejects as soon as the signal fires. */
export const pause = (ms, signal) =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(new Error('aborted'));
    });
  });

export const text = { type: 'string', description: 'A text.' };
export const number = { type: 'number', description: 'A number.' };
export const count = { type: 'integer', minimum: 0, description: 'A count.' };
