import { type CommandOutput, failedCommand } from '../../adapters/command-line/command-output.js';
import { reportProblems } from '../../adapters/command-line/terminal-text.js';
import {
  routeExplanationJson,
  routeExplanationText,
} from '../../adapters/inbound/gateway-command-line/explanation-report.js';
import type { ExplainCommand } from '../../adapters/inbound/gateway-command-line/parse-config-explain.js';
import { re2PathPatterns } from '../../adapters/outbound/re2-path-patterns/re2-path-patterns.js';
import { explainRoute } from '../../application/whole/explain-request/explain-request.js';
import { hiddenSecret } from '../../domain/configuration/hidden-text.js';
import { members, type Setting } from '../../domain/configuration/setting/setting.js';
import { configurationFile } from '../shared/configuration-file.js';

/** Shorter values of variables are numbers and switches, not secrets. */
const shortestHidden = 6;

/** The texts that came from variables and files. */
const hiddenValues = (settings: readonly Setting[]): readonly string[] =>
  settings.flatMap((setting) => [
    ...setting.args.flatMap(({ hidden, value }) =>
      hidden && typeof value === 'string' && value.length >= shortestHidden ? [value] : [],
    ),
    ...hiddenValues(members(setting)),
  ]);

/** Explains what the gateway would do with a request. No value of a variable or a file is printed. */
export const explainConfiguration = async ({ configFile, request, format }: ExplainCommand): Promise<CommandOutput> => {
  const { configuration, problems, settings } = await configurationFile(configFile).load();
  if (configuration === null) {
    return failedCommand(reportProblems(problems.filter(({ severity }) => severity === 'error')));
  }
  const explanation = explainRoute(configuration, request, re2PathPatterns);
  const output =
    format === 'json'
      ? `${JSON.stringify(routeExplanationJson(explanation), null, 2)}\n`
      : routeExplanationText(explanation);
  const hide = format === 'json' ? (value: string) => JSON.stringify(value).slice(1, -1) : (value: string) => value;
  const stdout = hiddenValues(settings ?? []).reduce(
    (text, value) => text.replaceAll(hide(value), hiddenSecret),
    output,
  );
  return { stdout, stderr: '', exitCode: explanation.route === null || explanation.refusal !== null ? 3 : 0 };
};
