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

/** Dependencies of the configuration reader. */
export interface KdlConfigurationOptions {
  /** Variables for `(env)"NAME"`, as in `process.env`. */
  readonly environment: Environment;
  /** Checks a `path-regex`. */
  readonly patterns: PathPatternCompiler;
  /**
   * Texts of an earlier load, used instead of the files. Referenced keys, policies and secrets still come from the
   * disk. Absent: read the files.
   */
  readonly texts?: ReadonlyMap<string, string>;
  /** The source of texts. Absent: the disk. */
  readonly files?: ConfigurationFiles;
}

const secretNames: ReadonlySet<string> = new Set([
  ...secretKeyNames(gatewayShape),
  ...secretKeyNames(agentOptionsShape),
]);

/**
 * Loads a configuration in KDL 2 or KDL 1 (https://kdl.dev) from a file and its included files. One run reports all
 * problems with positions. No problem contains a secret.
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
      patternFault: (source, groups = 0) => {
        const compiled = this.#options.patterns(source);
        if (!compiled.ok) return compiled.error;
        const { groupCount } = compiled.value;
        return groups <= groupCount ? null : `$${groups} is not one of its groups, of which it has ${groupCount}`;
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
