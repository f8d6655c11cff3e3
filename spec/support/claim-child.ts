// A process of claim-stdout.spec.ts: claims stdout twice, through two copies of the module, and says where it stands.
const { claimStdout } = await import('../../lib/mcp/claim-stdout.ts');
const copy = (await import(`${import.meta.resolve('../../lib/mcp/claim-stdout.js')}?copy`)) as { claimStdout: typeof claimStdout };

console.log('before');
const write = process.stdout.write;
const first = claimStdout();
console.log('by console.log');
process.stdout.write('by write\n');
process.stdout.write(Buffer.from('by write of bytes\n'), () => undefined);
await new Promise<void>((resolve) => process.stdout.end('by end\n', () => resolve()));
process.stdout.end();
process.stdout.cork();
await new Promise((resolve) => first.write('protocol one\n', resolve));
const second = copy.claimStdout();
first.release();
first.release();
console.info('still claimed');
second.write('protocol two\n');
second.release();
console.log('given back', process.stdout.write === write);
process.stdout.uncork();
const third = claimStdout();
console.log('claimed again');
third.release();
