import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { decodePython, decodeText } from '../../../lib/families/gadriel/domain/decode-source.ts';
import { assertToolFailed } from './support/tool-failure.ts';

const latin1 = (text: string): Uint8Array => Buffer.from(text, 'latin1');
const utf8 = (text: string): Uint8Array => Buffer.from(text, 'utf8');
const bom = (bytes: Uint8Array): Uint8Array => Buffer.concat([Uint8Array.of(0xef, 0xbb, 0xbf), bytes]);
const utf16be = (text: string): Uint8Array => Buffer.from(`\ufeff${text}`, 'utf16le').swap16();

describe('decodePython', () => {
  const cases: readonly (readonly [string, Uint8Array, string])[] = [
    ['plain ASCII', latin1('x = 1\n'), 'x = 1\n'],
    ['UTF-8 with characters of two to four bytes', utf8('s = "é €  😀"\n'), 's = "é €  😀"\n'],
    ['an empty file', new Uint8Array(), ''],
    ['UTF-8 with a BOM, which is no part of the text', bom(utf8('é = 1')), 'é = 1'],
    ['a BOM that outranks the declared encoding', bom(utf8('# coding: latin-1\né')), '# coding: latin-1\né'],
    ['Latin-1 declared in line 1', latin1('# -*- coding: latin-1 -*-\ns = "é"'), '# -*- coding: latin-1 -*-\ns = "é"'],
    ['Latin-1 declared in line 2 after a shebang', latin1('#!/usr/bin/python\n# coding=iso8859-1\n"\xe9"'), '#!/usr/bin/python\n# coding=iso8859-1\n"é"'],
    ['Latin-1 declared in line 2 after a blank line', latin1(' \f\n# vim: set fileencoding=latin_1 :\n"\xe9"'), ' \f\n# vim: set fileencoding=latin_1 :\n"é"'],
    ['line ends of the old Macintosh', latin1('# x\r# coding: l1\r"\xe9"'), '# x\r# coding: l1\r"é"'],
    ['line ends of Windows', latin1('# x\r\n# coding: ISO_8859_1\r\n"\xe9"'), '# x\r\n# coding: ISO_8859_1\r\n"é"'],
    ['cp1252 by the name that Python gives it', latin1('# coding: cp1252\n"\xe9"'), '# coding: cp1252\n"é"'],
    ['cp866', Buffer.concat([latin1('# coding: cp866\n'), Uint8Array.of(0x8f)]), '# coding: cp866\nП'],
    ['an editor suffix of the encoding', latin1('# -*- coding: latin-1-unix -*-\n\xe9'), '# -*- coding: latin-1-unix -*-\né'],
    ['an editor suffix of another encoding', Buffer.concat([latin1('# coding: koi8_r-dos\n'), Uint8Array.of(0xc2)]), '# coding: koi8_r-dos\nб'],
    ['EUC-JP', Buffer.concat([latin1('# coding: euc_jp\n'), Uint8Array.of(0xa4, 0xa2)]), '# coding: euc_jp\nあ'],
    ['UTF-8 declared', utf8('# coding: utf8\né'), '# coding: utf8\né'],
    ['UTF-8 declared as UTF_8', utf8('# coding: UTF_8\né'), '# coding: UTF_8\né'],
    ['UTF-8 declared as utf_8_sig', utf8('# coding: utf_8_sig\né'), '# coding: utf_8_sig\né'],
    ['a declaration in line 3, which is none', utf8('# a\n# b\n# coding: latin-1\né'), '# a\n# b\n# coding: latin-1\né'],
    ['a declaration in line 2 after code, which is none', utf8('x = 1\n# coding: latin-1\né'), 'x = 1\n# coding: latin-1\né'],
    ['a declaration in code, which is none', utf8('x = 1  # coding: latin-1\né'), 'x = 1  # coding: latin-1\né'],
  ];
  for (const [title, bytes, text] of cases) {
    it(`reads ${title}`, () => assert.equal(decodePython(bytes), text));
  }

  const failures: readonly (readonly [string, Uint8Array, string | RegExp])[] = [
    ['bytes that are no UTF-8', latin1('s = "\xe9"'), 'the file is not valid UTF-8 and declares no other encoding (PEP 263)'],
    ['bytes that are no UTF-8 behind a BOM', bom(latin1('\xe9')), /not valid UTF-8/],
    ['bytes that are no UTF-8 though declared so', latin1('# coding: utf-8\n\xe9'), /not valid UTF-8/],
    ['an encoding that does not exist', latin1('# coding: klingon\n'), 'the file declares the encoding klingon, which is not supported'],
    ['rot13, which is no text encoding', latin1('# coding: rot13\nriny(vachg())'), /encoding rot13, which is not supported/],
    ['UTF-7, in which code can hide', latin1('# coding: utf-7\n+AGUAdgBhAGw-()'), /encoding utf-7, which is not supported/],
    ['UTF-16 declared in ASCII, which would hide the code', latin1('# coding: utf-16\neval(input())\n'), /encoding utf-16, which is not supported/],
    ['an encoding name without end', latin1(`# coding: ${'x'.repeat(900)}`), `the file declares the encoding ${'x'.repeat(40)}, which is not supported`],
    ['bytes that the declared encoding lacks', Buffer.concat([latin1('# coding: shift_jis\n'), Uint8Array.of(0x80, 0xe9)]), 'the file is not valid in the encoding that it declares (shift_jis)'],
    ['a NUL at the start', latin1('x\0y'), 'the file is binary: it has NUL bytes'],
    ['a NUL in the 8192nd byte', latin1(`${'#'.repeat(8_191)}\0`), /binary/],
    ['UTF-16, which Python does not read', Buffer.from('\ufeffx = 1', 'utf16le'), /UTF-16LE, which Python does not read: save it as UTF-8/],
    ['UTF-16 of the other order', utf16be('x = 1'), /UTF-16BE, which Python does not read/],
    ['UTF-32', Buffer.from([0xff, 0xfe, 0, 0, 0x78, 0, 0, 0]), /UTF-32, which Python does not read/],
  ];
  for (const [title, bytes, reason] of failures) {
    it(`refuses ${title}`, () => assertToolFailed(() => decodePython(bytes), reason));
  }

  it('reads a NUL behind the first 8 KiB as text', () => {
    assert.equal(decodePython(latin1(`${'#'.repeat(8_192)}\0`)).length, 8_193);
  });
});

describe('decodeText', () => {
  const cases: readonly (readonly [string, Uint8Array, string])[] = [
    ['UTF-8', utf8('é €'), 'é €'],
    ['UTF-8 with a BOM', bom(utf8('é')), 'é'],
    ['UTF-16 little endian by its BOM', Buffer.from('\ufeffkey: é', 'utf16le'), 'key: é'],
    ['UTF-16 big endian by its BOM', utf16be('key: é'), 'key: é'],
    ['bytes that are no UTF-8 as Latin-1', latin1('caf\xe9'), 'café'],
    ['an empty file', new Uint8Array(), ''],
    ['a slice of a larger buffer', utf8('xxé').subarray(2), 'é'],
  ];
  for (const [title, bytes, text] of cases) {
    it(`reads ${title}`, () => assert.equal(decodeText(bytes), text));
  }

  it('refuses a binary file', () => assertToolFailed(() => decodeText(latin1('PNG\0\0')), 'the file is binary: it has NUL bytes'));
});

describe('decoding', () => {
  it('gives back every text that was written as UTF-8, with a BOM or without', () => {
    const text = fc.string({ unit: 'binary' }).filter((one) => !one.includes('\0') && !one.startsWith('\ufeff') && !one.includes('coding'));
    fc.assert(fc.property(text, fc.boolean(), (one, marked) => {
      const bytes = marked ? bom(utf8(one)) : utf8(one);
      assert.equal(decodePython(bytes), one);
      assert.equal(decodeText(bytes), one);
    }));
  });

  it('gives a text or a ToolFailed for any bytes', () => {
    const head = fc.constantFrom('', '# coding: latin-1\n', '# coding: gbk\n', '# coding: utf-16\n', '# coding: iso2022_jp\n', '#\n# coding: big5\n');
    fc.assert(fc.property(head, fc.uint8Array({ maxLength: 64 }), (line, rest) => {
      const bytes = Buffer.concat([latin1(line), rest]);
      for (const decode of [decodePython, decodeText]) {
        try {
          assert.equal(typeof decode(bytes), 'string');
        } catch (error) {
          assert.equal((error as Error).name, 'ToolFailed');
        }
      }
    }));
  });
});
