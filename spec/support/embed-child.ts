// A process of embedding.spec.ts: imports the library, then serves with it, and tells on stderr what of the process it found changed.
const globals = (): string[] => Object.getOwnPropertyNames(globalThis).sort();
const listeners = (): string => JSON.stringify(process.eventNames().map((name) => [String(name), process.listenerCount(name)]));
const write = process.stdout.write;
const before = { globals: globals().join(), listeners: listeners() };

const { createServer, defineFamily, defineTool, serveStdio } = await import('../../lib/index.ts');

const tell = (what: string, same: boolean): void => void process.stderr.write(`${what}: ${same ? 'untouched' : 'touched'}\n`);
tell('stdout on import', process.stdout.write === write);
tell('globals on import', globals().join() === before.globals);
tell('listeners on import', listeners() === before.listeners);

const annotations = { title: 'Say', readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
const say = defineTool({
  name: 'say', title: 'Say', description: 'Says a text.', annotations,
  inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  call: ({ text }) => {
    console.log('printed while serving');
    return text;
  },
});
console.log('printed before serving');
const family = defineFamily({ name: 'own', apiVersion: 1, tools: () => [say] });
const end = await serveStdio(createServer({ name: 'embedded', version: '1', families: [family] }));
tell('stdout after serving', process.stdout.write === write);
tell('signals after serving', process.listenerCount('SIGTERM') === 0 && process.listenerCount('SIGINT') === 0);
tell('exceptions after serving', process.listenerCount('uncaughtException') === 0 && process.listenerCount('unhandledRejection') === 0);
console.log(`printed after serving: ${JSON.stringify(end)}`);
