import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { languageOf, sourceKindOf } from '../../lib/secrets/languages.ts';

describe('languageOf', () => {
  const cases: Record<string, string> = {
    'src/a.py': 'python', 'a.pyi': 'python', 'a.PY': 'python', 'a.tsx': 'typescript', 'a.mjs': 'javascript', 'A.java': 'java', 'a.kt': 'kotlin', 'a.go': 'go', 'a.rs': 'rust', 'a.hpp': 'cpp', 'a.cs': 'csharp',
    'a.php': 'php', 'a.rb': 'ruby', 'a.sql': 'sql', 'a.sh': 'shell', 'a.ps1': 'powershell', 'a.yml': 'yaml', 'a.toml': 'toml', 'a.tf': 'terraform', 'a.ipynb': 'jupyter', 'README.md': 'markdown', 'a.b.json': 'json',
    'deploy/Dockerfile': 'dockerfile', 'Dockerfile.dev': 'dockerfile', 'x\\Makefile': 'makefile', 'Gemfile': 'ruby', '.env': 'dotenv', '.env.local': 'dotenv', 'prod.env': 'dotenv', '.npmrc': 'ini', 'LICENSE': 'unknown', 'a.xyz': 'unknown', '': 'unknown',
  };
  for (const [file, language] of Object.entries(cases)) it(`calls ${JSON.stringify(file)} ${language}`, () => assert.equal(languageOf(file), language));

  it('tells source code from configuration, prose and notebooks', () => {
    assert.deepEqual(['python', 'dart', 'yaml', 'shell', 'unknown', 'markdown', 'jupyter'].map(sourceKindOf), ['code', 'code', 'config', 'config', 'config', 'prose', 'notebook']);
  });
});
