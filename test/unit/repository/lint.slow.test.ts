import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../../', import.meta.url));

interface Sample {
  readonly file: string;
  readonly code: string;
  /** The rule, or the words of the plugin, that has to refuse it. */
  readonly told: string;
}

const program = 'src/application';
const samples: readonly Sample[] = [
  { file: `${program}/any.ts`, code: 'export const f = (x: any): number => x;\n', told: 'noExplicitAny' },
  { file: `${program}/default.ts`, code: 'export default 1;\n', told: 'noDefaultExport' },
  { file: `${program}/enum.ts`, code: 'export enum E {\n  A,\n}\n', told: 'noEnum' },
  { file: `${program}/ignore.ts`, code: '// @ts-ignore\nexport const n: number = 1;\n', told: 'noTsIgnore' },
  { file: `${program}/unused.ts`, code: "import { a } from './a.js';\nexport const b = 1;\n", told: 'noUnusedImports' },
  { file: `${program}/bang.ts`, code: 'export const f = (s?: string): string => s!;\n', told: 'noNonNullAssertion' },
  { file: `${program}/console.ts`, code: "console.log('x');\nexport {};\n", told: 'noConsole' },
  { file: `${program}/require.ts`, code: "export const a = require('node:fs');\n", told: 'noCommonJs' },
  { file: `${program}/protocol.ts`, code: "import 'fs';\n", told: 'useNodejsImportProtocol' },
  { file: `${program}/CamelCase.ts`, code: 'export const a = 1;\n', told: 'useFilenamingConvention' },
  { file: `${program}/quotes.ts`, code: 'export const a = "x"\n', told: 'format' },
  {
    file: `${program}/floating.ts`,
    code: 'const f = async (): Promise<void> => {};\nf();\nexport {};\n',
    told: 'noFloatingPromises',
  },
  { file: 'test/only.test.ts', code: "it.only('x', () => {});\n", told: 'noFocusedTests' },
  { file: 'test/skip.test.ts', code: "it.skip('x', () => {});\n", told: 'noSkippedTests' },
  {
    file: 'src/domain/throw.ts',
    code: 'export const f = (): never => {\n  throw new Error();\n};\n',
    told: 'The domain does not throw',
  },
  {
    file: 'src/domain/random.ts',
    code: 'export const f = (): number => Math.random();\n',
    told: 'The domain is not random',
  },
  {
    file: 'src/domain/wait.ts',
    code: 'export const f = async (x: PromiseLike<void>) => await x;\n',
    told: 'The domain does not wait',
  },
  { file: 'src/domain/date.ts', code: 'export const f = (): number => Date.now();\n', told: 'noRestrictedGlobals' },
  { file: 'src/domain/promise.ts', code: 'export type P = Promise<void>;\n', told: 'noRestrictedGlobals' },
];

let house = '';
const put = (name: string, content: string): void => {
  mkdirSync(dirname(join(house, name)), { recursive: true });
  writeFileSync(join(house, name), content);
};

/** What `npm run lint` says, by file. */
const lint = (): ReadonlyMap<string, string> => {
  const biome = join(root, 'node_modules', '@biomejs', 'biome', 'bin', 'biome');
  const args = [biome, 'check', '--error-on-warnings', '--colors=off', '--max-diagnostics=none', 'src', 'test'];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: house, encoding: 'utf8' });
  const said = new Map<string, string>([['exit status', String(status)]]);
  // Every diagnostic begins with its place, at the beginning of a line.
  for (const part of `${stdout}${stderr}`.split(/\n(?=(?:src|test)\/)/)) {
    const file = /^(?:src|test)\/[^\s:]+/.exec(part)?.[0];
    if (file !== undefined) said.set(file, `${said.get(file) ?? ''}${part}`);
  }
  return said;
};

let said: ReadonlyMap<string, string> = new Map();

beforeAll(() => {
  house = mkdtempSync(join(tmpdir(), 'pc-lint-'));
  for (const name of ['package.json', 'tsconfig.json']) copyFileSync(join(root, name), join(house, name));
  put('biome.json', readFileSync(join(root, 'biome.json'), 'utf8'));
  put('scripts/laws/pure-domain.grit', readFileSync(join(root, 'scripts', 'laws', 'pure-domain.grit'), 'utf8'));
  symlinkSync(join(root, 'node_modules'), join(house, 'node_modules'));
  for (const { file, code } of samples) put(file, code);
  put('src/domain/clean.ts', 'export const double = (x: number): number => 2 * x;\n');
  said = lint();
});
afterAll(() => {
  rmSync(house, { recursive: true, force: true });
});

describe('the linter', () => {
  it('has nothing to say of clean code', () => {
    expect(said.get('src/domain/clean.ts')).toBeUndefined();
  });

  it('fails', () => {
    expect(said.get('exit status')).toBe('1');
  });

  it.each(samples)('refuses $file: $told', ({ file, told }) => {
    expect(said.get(file)).toContain(told);
  });
});
