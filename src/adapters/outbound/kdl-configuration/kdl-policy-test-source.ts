import { dirname, isAbsolute, join } from 'node:path';
import type { LoadedPolicyTests, PolicyTestSource } from '../../../application/ports/agent/policy-files.js';
import { decodePolicyTests } from '../../../domain/agent/policy/test-cases/decode-policy-tests.js';
import { boundedProblems, inFileOrder } from '../../../domain/configuration/schema/problem-report.js';
import type { Located } from '../../../domain/configuration/schema/schema.js';
import { filesOnDisk } from './configuration-files.js';
import { FileTree } from './file-tree.js';
import type { Environment } from './value-references.js';

/** Resolves a path against the folder of its file. */
const fromItsFile = ({ value, position, ...rest }: Located<string>): Located<string> => ({
  ...rest,
  value: position === null || isAbsolute(value) ? value : join(dirname(position.file), value),
  position,
});

/** Loads policy tests in KDL from a file and its included files. */
export class KdlPolicyTestSource implements PolicyTestSource {
  readonly #environment: Environment;

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  async load(path: string): Promise<LoadedPolicyTests> {
    // Tests contain no secrets, so nothing is hidden.
    const files = new FileTree(filesOnDisk, this.#environment, new Set());
    const settings = await files.read(path);
    const lineAt: LoadedPolicyTests['lineAt'] = (position) => files.lineAt(position, false);
    if (files.hasGaps) return { tests: null, problems: inFileOrder(files.problems), lineAt };
    const root = { file: path, line: 1, column: 1 };
    const { tests, problems } = decodePolicyTests(settings, { lines: lineAt, root });
    const all = boundedProblems(inFileOrder([...files.problems, ...problems]));
    if (tests === null || files.problems.length > 0) return { tests: null, problems: all, lineAt };
    return { tests: { ...tests, policies: tests.policies.map(fromItsFile) }, problems: all, lineAt };
  }
}
