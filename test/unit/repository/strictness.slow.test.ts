import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** The options of a project here, as tsc reads them. */
const optionsOf = (project: string): ts.CompilerOptions => {
  const file = join(root, project, 'tsconfig.json');
  const { config } = ts.readConfigFile(file, ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, dirname(file));
  const { composite, incremental, tsBuildInfoFile, outDir, rootDir, ...kept } = options;
  return { ...kept, noEmit: true, declaration: false };
};

interface Sample {
  readonly code: string;
  /** What tsc has to say of it. */
  readonly error: number;
}

/** One piece of sloppy code for each option that forbids it. */
const everywhere: Readonly<Record<string, Sample>> = {
  'strict: an implicit any': { code: 'export const f = (x) => x;', error: 7006 },
  'strict: null where none is allowed': { code: 'export const n: number = null;', error: 2322 },
  'strict: a caught value used as an error': {
    code: 'export const f = (g: () => void): string => { try { g(); return ""; } catch (e) { return e.message; } };',
    error: 18046,
  },
  'exactOptionalPropertyTypes: undefined for an absent member': {
    code: 'export const o: { a?: number } = { a: undefined };',
    error: 2375,
  },
  'noUncheckedIndexedAccess: an element that may be missing': {
    code: 'export const f = (list: number[]): number => list[0];',
    error: 2322,
  },
  'noImplicitOverride: an override that does not say so': {
    code: 'class A { f(): number { return 1; } }\nexport class B extends A { f(): number { return 2; } }',
    error: 4114,
  },
  'noImplicitReturns: a path without a result': {
    code: 'export const f = (x: number) => { if (x > 1) return 1; };',
    error: 7030,
  },
  'noFallthroughCasesInSwitch: a case that runs into the next': {
    code: 'export const f = (x: number): number => { let y = 0; switch (x) { case 1: y = 1; case 2: y = 2; } return y; };',
    error: 7029,
  },
  'noPropertyAccessFromIndexSignature: a key that is only guessed': {
    code: 'export const f = (o: Record<string, number>): number | undefined => o.guessed;',
    error: 4111,
  },
  'noUnusedLocals: a constant for nobody': { code: 'const unused = 1;\nexport const used = 2;', error: 6133 },
  'noUnusedParameters: a parameter for nobody': {
    code: 'export const f = (unused: number): number => 1;',
    error: 6133,
  },
  'verbatimModuleSyntax: a type imported as a value': {
    code: `import { Thing } from './shared-thing.js';\nexport const thing: Thing = 1;`,
    error: 1484,
  },
  'allowUnreachableCode: code after a return': {
    code: 'export const f = (): number => {\n  return 1;\n  f();\n};',
    error: 7027,
  },
  'allowUnusedLabels: a label for nobody': { code: 'label: { f(); }\nexport function f(): void {}', error: 7028 },
  'noUncheckedSideEffectImports: an import of nothing': { code: `import './nothing.js';\nexport {};`, error: 2882 },
  'nodenext: a relative import without its extension': {
    code: `import type { Thing } from './shared-thing';\nexport const thing: Thing = 1;`,
    error: 2835,
  },
};

/** What only the domain may not say: it has no global but those of the language. */
const inDomain: Readonly<Record<string, Sample>> = {
  'no console': { code: `console.log('x');\nexport {};`, error: 2584 },
  'no process': { code: 'export const e = process.env;', error: 2591 },
  'no Buffer': { code: `export const b = Buffer.from('x');`, error: 2591 },
  'no URL': { code: `export const u = new URL('http://x');`, error: 2304 },
  'no timers': { code: 'setTimeout(() => {}, 1);\nexport {};', error: 2304 },
  'no fetch': { code: `export const r = fetch('http://x');`, error: 2304 },
  'no text encoder': { code: 'export const t = new TextEncoder();', error: 2304 },
  'no Node modules': { code: `import { readFileSync } from 'node:fs';\nexport const r = readFileSync;`, error: 2591 },
};

/** Compiles every sample in one go; gives the codes of the errors by sample. */
const compile = (folder: string, options: ts.CompilerOptions, samples: Readonly<Record<string, Sample>>) => {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  writeFileSync(join(folder, 'shared-thing.ts'), 'export type Thing = number;\n');
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  const files = Object.entries(samples).map(([name, { code }], index) => {
    const file = join(folder, `sample-${index}.ts`);
    writeFileSync(file, code);
    return { name, file };
  });
  const typeRoots = [join(root, 'node_modules', '@types')];
  const program = ts.createProgram(
    files.map(({ file }) => file),
    { ...options, typeRoots },
  );
  return new Map(
    files.map(({ name, file }) => {
      const source = program.getSourceFile(file);
      return [name, ts.getPreEmitDiagnostics(program, source).map(({ code }) => code)];
    }),
  );
};

describe.each([
  ['src', everywhere],
  ['src/domain', { ...everywhere, ...inDomain }],
] as const)('the compiler refuses in %s', (project, samples) => {
  let parent = '';
  let errors: ReadonlyMap<string, readonly number[]> = new Map();

  beforeAll(() => {
    parent = mkdtempSync(join(tmpdir(), 'pc-strict-'));
    errors = compile(join(parent, 'samples'), optionsOf(project), samples);
  });
  afterAll(() => {
    rmSync(parent, { recursive: true, force: true });
  });

  it.each(Object.entries(samples))('%s', (name, { error }) => {
    expect(errors.get(name)).toContain(error);
  });
});

describe('the projects', () => {
  it('are all built by `tsc -b`', () => {
    const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile);
    const paths = (config.references as { path: string }[]).map(({ path }) => path);
    expect(paths.sort()).toEqual(['./bench', './fuzz', './scripts', './src', './src/domain', './test']);
  });

  it.each(['test', 'bench', 'fuzz'])('are no laxer in %s than in src', (project) => {
    expect(optionsOf(project)).toEqual({ ...optionsOf('src'), configFilePath: optionsOf(project)['configFilePath'] });
  });

  it('keep dist a mirror of src', () => {
    for (const project of ['src', 'src/domain']) {
      const file = join(root, project, 'tsconfig.json');
      const { config } = ts.readConfigFile(file, ts.sys.readFile);
      const { options } = ts.parseJsonConfigFileContent(config, ts.sys, dirname(file));
      expect(options.outDir).toBe(join(root, 'dist'));
      expect(options.rootDir).toBe(join(root, 'src'));
    }
  });
});
