import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect } from 'vitest';
import { documentationPage, fencedBlocks, repositoryRoot } from '../../support/shared/documentation-examples.js';
import { it } from '../../support/shared/fixtures.js';
import { startProcess } from '../../support/shared/processes.js';
import { type TemporaryFolder, temporaryFolder } from '../../support/shared/temporary-folder.js';

interface PackedFile {
  readonly path: string;
  readonly size: number;
}

interface Packed {
  readonly filename: string;
  readonly unpackedSize: number;
  readonly files: readonly PackedFile[];
}

interface LockedPackage {
  readonly dev?: boolean;
}

/**
 * A project that has installed the package from its tarball: nothing of the repository is in reach but its
 * dependencies.
 */
let project: TemporaryFolder;
let packed: Packed;

/**
 * The packages that come with the package; those that only its tests and its build need are left out. @types/node is
 * among them.
 */
const dependencies = (): readonly string[] => {
  const { packages } = JSON.parse(readFileSync(join(repositoryRoot, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, LockedPackage>;
  };
  return Object.entries(packages)
    .filter(([path, { dev }]) => /^node_modules\/(?:@[^/]+\/)?[^/]+$/.test(path) && dev !== true)
    .map(([path]) => path)
    .filter((path) => existsSync(join(repositoryRoot, path)));
};

it.beforeAll(({ fileCleanUp: cleanUp }) => {
  project = temporaryFolder();
  cleanUp.add(() => project.remove());
  const output = execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', project.path], {
    cwd: repositoryRoot,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  packed = (JSON.parse(output) as Packed[])[0] as Packed;
  for (const path of dependencies()) {
    mkdirSync(dirname(project.file(path)), { recursive: true });
    symlinkSync(join(repositoryRoot, path), project.file(path), 'dir');
  }
  mkdirSync(project.file('node_modules/portcullis'));
  const tarball = project.file(packed.filename);
  execFileSync('tar', ['-xzf', tarball, '--strip-components=1', '-C', project.file('node_modules/portcullis')]);
  project.write('package.json', JSON.stringify({ type: 'module' }));
});

describe('the package', () => {
  it('contains only the programs, the types of the agent kit, the socket layer and the files that they read', () => {
    const kinds = [
      /^(?:LICENSE|README\.md|CHANGELOG\.md|package\.json)$/,
      /^dist\/programs\/(?:main-(?:gateway|gateway-worker|gateway-auth|saml-verifier|demo)|agent|part-[\w-]+)\.js$/,
      /^dist\/types\/.+\.d\.ts$/,
      /^dist\/(?:build-commit|THIRD-PARTY-NOTICES\.txt)$/,
      /^native\/(?:core\/sockets\.[ch]|addon\.c|binding\.gyp|(?:build|install)\.mjs|index\.cjs|index\.d\.cts|README\.md|prebuilds\/[\w-]+\/sockets\.napi\.node)$/,
      /^proto\/agent-service-v2\.proto$/,
      /^config\/[\w./-]+\.(?:kdl|cedar|cedarschema|json|yml|md)$/,
    ];
    const paths = packed.files.map(({ path }) => path);
    expect(paths.filter((path) => !kinds.some((kind) => kind.test(path)))).toEqual([]);
    for (const kind of kinds)
      expect(
        paths.some((path) => kind.test(path)),
        String(kind),
      ).toBe(true);
  });

  it('stays small', () => {
    expect(packed.files.length).toBeLessThan(400);
    expect(packed.unpackedSize).toBeLessThan(6 * 1024 * 1024);
  });

  it('names no script that it does not contain', () => {
    const { scripts } = JSON.parse(readFileSync(project.file('node_modules/portcullis/package.json'), 'utf8')) as {
      scripts: Record<string, string>;
    };
    for (const name of ['install', 'prepare']) {
      const { status, stderr } = spawnSync('sh', ['-c', scripts[name] ?? 'false'], {
        cwd: project.file('node_modules/portcullis'),
        encoding: 'utf8',
        timeout: 60_000,
      });
      expect({ name, status, stderr }).toEqual({ name, status: 0, stderr: '' });
    }
  });

  it('has types with which an agent compiles and runs', async ({ cleanUp }) => {
    const [agent = ''] = fencedBlocks(documentationPage('docs/guides/write-an-agent.md'))
      .filter(({ info }) => info === 'ts')
      .map(({ text }) => text);
    project.write('word-filter.ts', agent);
    const tsc = join(repositoryRoot, 'node_modules/typescript/bin/tsc');
    const settings = ['--module', 'nodenext', '--target', 'es2023', '--types', 'node', '--strict'];
    const compiled = spawnSync(process.execPath, [tsc, ...settings, 'word-filter.ts'], {
      cwd: project.path,
      encoding: 'utf8',
      timeout: 30_000,
    });
    expect(compiled).toMatchObject({ status: 0, stdout: '' });
    const running = startProcess(process.execPath, ['word-filter.js'], {
      cwd: project.path,
      env: { AGENT_SOCKET: project.file('agent.sock') },
    });
    cleanUp.add(() => running.stop());
    await running.wrote(/The agent listens/);
  });

  it('has programs that run with only its dependencies', async ({ cleanUp }) => {
    const configuration = project.write(
      'gateway.kdl',
      `listeners { listener "main" { address "127.0.0.1:0" } }
       routes { route "all" { matches { path-prefix "/" }; service-type "builtin"; builtin-handler "health" } }`,
    );
    const { bin } = JSON.parse(readFileSync(project.file('node_modules/portcullis/package.json'), 'utf8')) as {
      bin: Record<string, string>;
    };
    const program = (name: string): string => project.file(`node_modules/portcullis/${bin[name]}`);
    const checked = spawnSync(process.execPath, [program('gateway'), 'config', 'check', configuration], {
      timeout: 30_000,
    });
    expect(checked.status).toBe(0);
    expect(spawnSync(process.execPath, [program('gateway-auth'), '--version'], { timeout: 30_000 }).status).toBe(0);
    const gateway = startProcess(process.execPath, [program('gateway'), '--config', configuration], {
      env: { GATEWAY_WORKER_THREADS: '2' },
    });
    cleanUp.add(() => gateway.stop());
    await gateway.wrote(/the workers serve/);
  });
});
