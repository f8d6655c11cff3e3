import { strict as assert } from 'node:assert';
import { mkdirSync, symlinkSync } from 'node:fs';
import { describe, it } from 'node:test';
import { excluder, loadConfig, parseConfig, plainConfig } from '../../../../lib/families/gadriel/domain/repository/config.ts';
import { tempFolder } from '../../../support/temp-folder.ts';
import { assertToolFailed } from '../support/tool-failure.ts';

describe('parseConfig', () => {
  it('reads every key', () => {
    const config = parseConfig(`exclude = ["docs/", "*.min.js"]
[rules]
L3-039 = "off"
CODE-W2-CONFIG-MCP-001 = false
CONFIG-MCP-002 = "low"
CODE-W1-CRYPTO-004 = "low"
L3-001 = "on"
L3-002 = true
CODE-W1-SECRET-OWN-ACME = "critical"
[[secret]]
id = "acme"
pattern = "acme_[a-z0-9]{20}"
[[secret]]
id = "other"
title = "Other key"
pattern = "o-[0-9]{8}"
severity = "low"
[[source]]
name = "acme.queue.read"
[[sink]]
name = "acme.run"
rule = "L3-017"
argument = "command"
[[sink]]
name = "acme.Db().raw"
rule = "CODE-W1-L3-014"
[[sanitizer]]
name = "acme.clean"
clears = ["sql", "html"]
[[sanitizer]]
name = "acme.strip"
`);
    assert.deepEqual(config, {
      exclude: ['docs/', '*.min.js'],
      scan: {
        profile: 'default',
        off: ['CODE-W1-L3-039', 'CODE-W2-CONFIG-MCP-001'],
        severity: { 'CODE-W2-CONFIG-MCP-002': 'low', 'CODE-W1-CRYPTO-004': 'low', 'CODE-W1-SECRET-OWN-ACME': 'critical' },
        secrets: [
          { id: 'CODE-W1-SECRET-OWN-ACME', title: 'Secret of the kind acme', pattern: 'acme_[a-z0-9]{20}', severity: 'high' },
          { id: 'CODE-W1-SECRET-OWN-OTHER', title: 'Other key', pattern: 'o-[0-9]{8}', severity: 'low' },
        ],
        sources: [{ name: 'acme.queue.read', note: 'source named in .gadriel.toml' }],
        sinks: [{ name: 'acme.run', rule: 'CODE-W1-L3-017', argument: 'command' }, { name: 'acme.Db().raw', rule: 'CODE-W1-L3-014', argument: 0 }],
        sanitizers: [{ name: 'acme.clean', clears: ['sql', 'html'] }, { name: 'acme.strip', clears: ['all'] }],
      },
    });
    assert.deepEqual(parseConfig(''), plainConfig);
  });

  const refused: readonly (readonly [text: string, line: number, what: RegExp])[] = [
    ['exclude = [\n', 2, /not valid TOML/],
    ['# settings\nexcludes = []', 2, /unknown key excludes/],
    ['\n[rule]\nx = 1', 2, /unknown key rule;/],
    ['[[secrets]]\nid = "a"', 1, /unknown key secrets/],
    ['exclude = "a"', 1, /list of at most/],
    ['exclude = ["a\\nb"]', 1, /list of at most/],
    ['rules = 1', 1, /must be a table/],
    ['[rules]\nL3-001 = "on"\nL3-999 = "off"', 3, /unknown rule L3-999/],
    ['[rules]\n"L3-001" = "loud"', 2, /L3-001 must be/],
    ['[rules]\nL3-001 = "off"\nCODE-W1-L3-001 = "on"', 3, /CODE-W1-L3-001 is the same rule as L3-001/],
    ['[rules]\nCONFIG-MCP-001 = "off"\nCODE-W2-CONFIG-MCP-001 = "off"', 3, /is the same rule as CONFIG-MCP-001/],
    ['[[secret]]\nid = "a"\npattern = "a+"\n\n[[secret]]\nid = "b c"\npattern = "b"', 6, /id must be/],
    ['[[secret]]\nid = "a"\npattern = "(a+)+$(?=x)\\\\1"', 3, /pattern (?:may|is)/],
    ['[[secret]]\nid = "a"\npattern = "("', 3, /pattern is no regular expression/],
    ['[[secret]]\nid = "a"\npattern = "a*"', 3, /fits the empty text/],
    [`[[secret]]\nid = "a"\npattern = "${'a'.repeat(501)}"`, 3, /longer than 500/],
    ['[[secret]]\nid = "a"\npattern = "a"\nseverity = "loud"', 4, /severity must be/],
    ['[[secret]]\nid = "a"\npatern = "a"', 3, /unknown key patern of secret/],
    ['[[secret]]\npattern = "a"', 1, /id of secret must be a text/],
    ['secret = [{ id = "a", pattern = 3 }]', 1, /pattern of secret must be a text/],
    ['secret = 3', 1, /at most 50 tables/],
    [Array.from({ length: 51 }, (_, at) => `[[secret]]\nid = "a${at}"\npattern = "a"`).join('\n'), 1, /at most 50 tables/],
    ['[[source]]\nname = "a b"', 2, /dotted name/],
    ['[[source]]\nname = "a..b"', 2, /dotted name/],
    ['[[sink]]\nname = "a"\nrule = "SECRET-001"', 3, /id of a rule for Python/],
    ['[[sink]]\nname = "a"\nrule = "L3-001"\nargument = -1', 4, /argument must be/],
    ['[[sink]]\nname = "a"\nrule = "L3-001"\nargument = true', 4, /argument must be/],
    ['[[sanitizer]]\nname = "a"\nclears = ["everything"]', 3, /clears must be/],
    ['[[sanitizer]]\nname = "a"\nclears = "sql"', 3, /clears must be/],
  ];
  for (const [text, line, what] of refused) {
    it(`refuses ${JSON.stringify(text.slice(0, 60))} with its line`, () => {
      assertToolFailed(() => parseConfig(text), new RegExp(`^\\.gadriel\\.toml, line ${line}: .*${what.source}`));
    });
  }
});

describe('loadConfig', () => {
  const { write, at } = tempFolder();

  it('takes a missing file as no settings, and reads the one at the root', async () => {
    write('with/.gadriel.toml', 'exclude = ["a"]');
    mkdirSync(at('without'));
    assert.deepEqual(await loadConfig(at('without')), plainConfig);
    assert.deepEqual((await loadConfig(at('with'))).exclude, ['a']);
  });

  it('refuses a link, a huge file and bytes that are no text', async () => {
    mkdirSync(at('link'));
    symlinkSync(write('elsewhere.toml', ''), at('link/.gadriel.toml'));
    await assert.rejects(loadConfig(at('link')), /symbolic link/);
    write('huge/.gadriel.toml', '#'.repeat(300_000));
    await assert.rejects(loadConfig(at('huge')), /larger than/);
    write('bytes/.gadriel.toml', Uint8Array.of(0xff, 0xfe));
    await assert.rejects(loadConfig(at('bytes')), /not UTF-8/);
  });
});

describe('excluder', () => {
  it('leaves out by names, folders and negation, as .gitignore does', () => {
    const isExcluded = excluder(['docs/', '*.min.js', '!keep.min.js']);
    assert.deepEqual(['docs/a.py', 'a/docs/b/c.py', 'docs', 'x/a.min.js', 'keep.min.js', 'a.js'].map(isExcluded), [true, true, false, true, false, false]);
    assert.equal(excluder([])('a'), false);
  });
});
