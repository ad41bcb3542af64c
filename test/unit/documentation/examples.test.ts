import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KdlConfigurationSource } from '../../../src/adapters/outbound/kdl-configuration/kdl-configuration-source.js';
import { re2PathPatterns } from '../../../src/adapters/outbound/re2-path-patterns/re2-path-patterns.js';
import { type ConfigurationProblem, formatProblem } from '../../../src/domain/configuration/configuration-problem.js';
import {
  configurationOf,
  documentationPages,
  exampleEnvironment,
  fencedBlocks,
} from '../../support/shared/documentation-examples.js';
import { type TemporaryFolder, temporaryFolder } from '../../support/shared/temporary-folder.js';

const blocks = documentationPages().flatMap(fencedBlocks);
const examples = blocks.filter(({ info }) => info.startsWith('kdl'));
const refersToUnshown = ({ message }: ConfigurationProblem): boolean =>
  /refers to an? (upstream|agent) ".*" that is not defined$/.test(message);

let folder: TemporaryFolder;
beforeAll(() => {
  folder = temporaryFolder();
});
afterAll(() => folder.remove());

/** Everything that is wrong with an example, warnings too. Files that it names are there, with some text. */
/** A warning about an example that its page explains. */
const explainedAdvice = 'session-cookie-for-every-host';

const problemsOf = async (example: string): Promise<readonly string[]> => {
  const configuration = configurationOf(example);
  if (configuration === null) return ['it is neither a whole configuration nor a part that can be completed'];
  const referred = folder.write('referred', 'example-text-of-more-than-32-octets');
  const text = configuration.text.replace(/\(file\)"[^"]*"/g, `(file)"${referred}"`);
  const source = new KdlConfigurationSource(folder.write('example.kdl', text), {
    environment: exampleEnvironment(text),
    patterns: re2PathPatterns,
  });
  const { problems } = await source.load();
  return problems
    .filter((problem) => configuration.isWhole || !refersToUnshown(problem))
    .filter(({ id }) => id !== explainedAdvice)
    .map(formatProblem);
};

describe('the examples of the documentation', () => {
  it('are found', () => {
    expect(examples.length).toBeGreaterThan(10);
    expect(examples.filter(({ text }) => configurationOf(text)?.isWhole).length).toBeGreaterThan(3);
  });

  it('are marked as kdl, and as nothing else that begins so', () => {
    expect([...new Set(examples.map(({ info }) => info))]).toEqual(['kdl']);
  });

  it.each(examples.map((example) => [`${example.page}:${example.line}`, example.text] as const))(
    '%s is a valid configuration',
    async (_place, text) => {
      expect(await problemsOf(text)).toEqual([]);
    },
  );

  it('would be found to be wrong', async () => {
    expect(await problemsOf('listeners {\n  listener "a" {\n    adress "127.0.0.1:1"\n  }\n}\n')).not.toEqual([]);
    expect(await problemsOf('route "a" {\n  matches { path "/a" }\n  upstreem "b"\n}\n')).not.toEqual([]);
    expect(await problemsOf('config {\n  api-key "a:b"\n}\n')).not.toEqual([]);
    expect(await problemsOf('target "127.0.0.1:1"\n')).not.toEqual([]);
  });

  it('may refer to an upstream that is not shown only where they are parts', async () => {
    const route = 'route "a" {\n  matches { path "/a" }\n  upstream "b"\n}\n';
    expect(await problemsOf(route)).toEqual([]);
    const whole = `listeners {\n  listener "a" { address "127.0.0.1:1" }\n}\nroutes {\n${route}}\n`;
    expect(await problemsOf(whole)).not.toEqual([]);
  });
});
