import { agentOptionsShape } from '../../../src/domain/agent/configuration/agent-options-schema.js';
import { isForeignKey } from '../../../src/domain/configuration/schema/block-keys.js';
import type { Shape } from '../../../src/domain/configuration/schema/schema.js';
import { gatewayShape } from '../../../src/domain/gateway/configuration/gateway-schema.js';

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

const inner = (prefix: string, shape: Shape): string[] =>
  Object.entries(shape).flatMap(([name, key]) => (key.shape === null ? [] : sections(prefix + name, key.shape)));

const top = 'Top level';

const introduction = `# Configuration reference

This page is generated from the schema that reads the configuration, so it says what the program does.

The configuration is written in [KDL](https://kdl.dev), version 2 (\`#true\`) or 1 (\`true\`). A file is read as the
version that its first line declares (\`/- kdl-version 1\`), else as the one it fits. An unknown key is an error, a key
that is known but not supported yet is one too, and all errors of a file are reported in one run.

- A list is written as several values, \`agents "auth" "audit"\`, or as the key repeated. There are no brackets.
- \`(env)"NAME"\` stands for the value of an environment variable, \`(file)"/run/secrets/name"\` for the text of a file
  (without the line end after it; relative to the file it is written in). Neither shows in a message.
- \`include "other.kdl"\` at the top level puts the settings of another file in its place, relative to the file it is
  written in. \`listeners\`, \`routes\`, \`upstreams\` and \`agents\` may be spread over several files.
- Sizes are bytes, or text with a unit: \`"512KB"\`, \`"10MB"\`, \`"1GB"\`, powers of 1024.
- A configuration has 2 MiB and 250 000 words and marks at most, all its files together.
`;

const agentIntroduction = `## Options of the agent

The keys of the \`config\` block of an agent, which the gateway hands over to it. \`gateway-auth\` takes the same options
as flags and environment variables, but for those that are blocks: a flag wins over a variable, a variable over the block,
the block over the default.
`;

/** The reference page of the configuration, in Markdown. */
export const configurationReference = (): string => {
  const agent = [`${agentIntroduction}\n${table(agentOptionsShape)}`, ...inner('config › ', agentOptionsShape)];
  return `${[introduction, ...sections(top, gatewayShape), ...agent].join('\n\n').replace(/\n{3,}/g, '\n\n')}\n`;
};
