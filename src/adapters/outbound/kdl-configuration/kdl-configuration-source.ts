import type {
  ConfigurationSource,
  LoadedConfiguration,
} from '../../../application/ports/gateway/configuration-source.js';
import { agentOptionsShape } from '../../../domain/agent/configuration/agent-options-schema.js';
import { boundedProblems, inFileOrder } from '../../../domain/configuration/schema/problem-report.js';
import { secretKeyNames } from '../../../domain/configuration/schema/schema.js';
import { decodeGatewayConfiguration } from '../../../domain/configuration/whole/decode-gateway-configuration.js';
import { gatewayShape } from '../../../domain/gateway/configuration/gateway-schema.js';
import type { PathPatternCompiler } from '../../../domain/gateway/routing/path-pattern.js';
import { type ConfigurationFiles, filesOnDisk, givenFiles } from './configuration-files.js';
import { FileTree } from './file-tree.js';
import type { Environment } from './value-references.js';

/** What a configuration is read with. */
export interface KdlConfigurationOptions {
  /** Variables that `(env)"NAME"` refers to, as in `process.env`. */
  readonly environment: Environment;
  /** Says whether a `path-regex` is a regular expression. */
  readonly patterns: PathPatternCompiler;
  /**
   * The texts that an earlier load of the same path gave, read instead of the files. What they
   * refer to beyond other configurations (keys, policies, secrets) is read from the disk as ever.
   * Absent: the files are read.
   */
  readonly texts?: ReadonlyMap<string, string>;
  /** Where the texts come from otherwise. Absent: the disk. */
  readonly files?: ConfigurationFiles;
}

const secretNames: ReadonlySet<string> = new Set([
  ...secretKeyNames(gatewayShape),
  ...secretKeyNames(agentOptionsShape),
]);

/**
 * A configuration in KDL 2 or KDL 1 (https://kdl.dev), in one file and those that it includes.
 * Every problem of a file is reported in one run, with its place; no problem holds a secret.
 */
export class KdlConfigurationSource implements ConfigurationSource {
  readonly #path: string;
  readonly #options: KdlConfigurationOptions;

  constructor(path: string, options: KdlConfigurationOptions) {
    this.#path = path;
    this.#options = options;
  }

  async load(): Promise<LoadedConfiguration> {
    const { texts, environment, files: origin = filesOnDisk } = this.#options;
    const files = new FileTree(texts === undefined ? origin : givenFiles(texts), environment, secretNames);
    const settings = await files.read(this.#path);
    const decoded = decodeGatewayConfiguration(settings, {
      patternFault: (source) => {
        const compiled = this.#options.patterns(source);
        return compiled.ok ? null : compiled.error;
      },
      lines: (position, secret) => files.lineAt(position, secret),
      places: (text, offset) => files.placeInText(text, offset),
      root: { file: this.#path, line: 1, column: 1 },
      isComplete: !files.hasGaps,
    });
    const problems = boundedProblems(inFileOrder([...files.problems, ...decoded.problems]));
    const configuration = files.problems.length > 0 ? null : decoded.configuration;
    const { locate, advise } = decoded;
    return { configuration, problems, locate, texts: files.texts, advise, settings };
  }
}
