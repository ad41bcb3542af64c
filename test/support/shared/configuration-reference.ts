import { agentOptionsShape } from '../../../src/domain/agent/configuration/agent-options-schema.js';
import { isForeignKey } from '../../../src/domain/configuration/schema/block-keys.js';
import type { Key, Shape } from '../../../src/domain/configuration/schema/schema.js';
import { gatewayShape } from '../../../src/domain/gateway/configuration/gateway-schema.js';
import { wrapProse } from './wrap-prose.js';

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

const table = (shape: Shape): string => {
  const rows = Object.entries(shape).flatMap(([name, key]) =>
    isForeignKey(key)
      ? []
      : `| \`${name}\` | ${cell(key.document.type)} | ${cell(key.document.default)} | ${cell(key.document.meaning)} |`,
  );
  return ['| Key | Type | Default | Meaning |', '|---|---|---|---|', ...rows].join('\n');
};

/** A section for each block, outermost first. */
const sections = (title: string, shape: Shape): string[] => [
  `## ${title}\n\n${table(shape)}`,
  ...inner(title === top ? '' : `${title} › `, shape),
];

/** The keys of the block are those of another block. */
const isListedElsewhere = ({ document }: Key<unknown>): boolean => document.type.startsWith('block, as ');

const inner = (prefix: string, shape: Shape): string[] =>
  Object.entries(shape).flatMap(([name, key]) =>
    key.shape === null || isListedElsewhere(key) ? [] : sections(prefix + name, key.shape),
  );

const top = 'Top level';

const introduction = `# Configuration reference

On this page you look up what a configuration key does, its type and its default. The page is generated from
the schema that reads the configuration.

Write the configuration in [KDL](https://kdl.dev), version 2 (\`#true\`) or 1 (\`true\`). The first line may declare the
version (\`/- kdl-version 1\`); otherwise the gateway uses the version that fits. Unknown keys and keys that are
not supported yet are errors. One run reports all errors of a file.

- A list has several values, \`agents "auth" "audit"\`, or repeats its key. There are no brackets.
- \`(env)"NAME"\` is the value of an environment variable. \`(file)"/run/secrets/name"\` is the text of a file without
  its last line end; a relative path starts at the folder of the configuration file. Messages show neither.
- \`include "other.kdl"\` at top level inserts the settings of another file. A relative path starts at the folder of
  the including file. Several files may contribute to \`listeners\`, \`routes\`, \`upstreams\` and \`agents\`.
- A size is a number of bytes, or text with a unit: \`"512KB"\`, \`"10MB"\`, \`"1GB"\`. Units are powers of 1024.
- A configuration may have at most 2 MiB and 250 000 tokens in all its files together.
`;

const agentIntroduction = `## Options of the agent

The keys of the \`config\` block of an agent. \`gateway-auth\` accepts the same options as flags and environment
variables, except blocks and \`forward-claims\`. A flag overrides a variable, a variable overrides the block, and the
block overrides the default.
`;

/** The reference page of the configuration, in Markdown. */
export const configurationReference = (): string => {
  const agent = [`${agentIntroduction}\n${table(agentOptionsShape)}`, ...inner('config › ', agentOptionsShape)];
  return wrapProse(
    `${[introduction, ...sections(top, gatewayShape), ...agent].join('\n\n').replace(/\n{3,}/g, '\n\n')}\n`,
  );
};
