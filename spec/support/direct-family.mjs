// A family whose tool names answer as JSON-RPC methods; one of them has the name of a protocol method.
import { content, pause, refusal, rpcError, text, tool } from './plain-tool.mjs';

export const family = {
  name: 'direct',
  apiVersion: 1,
  directInvocation: true,
  tools: () => [
    tool('say', ({ text: said }) => said, { properties: { text } }),
    tool('sum', ({ numbers = [] }) => ({ sum: numbers.reduce((a, b) => a + b, 0) }), {
      properties: { numbers: { type: 'array', items: { type: 'number' }, description: 'What to add.' } },
    }),
    tool('ping', () => 'the tool named ping'),
    tool('json_block', () => content([{ type: 'image', data: 'AAAA', mimeType: 'image/png' }, { type: 'text', text: '{"parsed": [1]}' }])),
    tool('text_block', () => content([{ type: 'text', text: 'plain words' }], { unused: true })),
    tool('no_text', () => content([])),
    tool('refuse', () => {
      throw refusal('the gate is shut', { reason: 'shut', data: { error: 'Shut' } });
    }),
    tool('refuse_plainly', () => {
      throw refusal('no');
    }),
    tool('rpc_error', () => {
      throw rpcError(-32050, 'out of cheese', { left: 0 });
    }),
    tool('fail', () => {
      throw new Error('inner');
    }),
    tool('nothing', () => undefined),
    tool('steps', ({ text: said = 'done' }, { progress }) => {
      progress(1, 2);
      progress(2, 2);
      return said;
    }, { properties: { text } }),
    tool('soon', async () => pause(5).then(() => 'soon')),
  ],
};
