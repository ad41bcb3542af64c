import { reportProblems } from '../../adapters/inbound/gateway-command-line/report-problems.js';
import { settingsText } from '../../adapters/outbound/kdl-configuration/source-text.js';
import { effectiveJson } from '../../domain/configuration/whole/effective/effective-json.js';
import { effectiveSettings } from '../../domain/configuration/whole/effective/effective-settings.js';
import { configurationFile } from '../shared/configuration-file.js';

/** What a command has to say, and how it ends. */
export interface CommandOutput {
  readonly result: string;
  readonly messages: string;
  readonly exitCode: 0 | 1;
}

/** The configuration of a file with its defaults, secrets hidden. */
export const printConfiguration = async (configFile: string, format: 'kdl' | 'json'): Promise<CommandOutput> => {
  const { configuration, problems, settings } = await configurationFile(configFile).load();
  const errors = problems.filter(({ severity }) => severity === 'error');
  if (configuration === null || settings === undefined) {
    return { result: '', messages: reportProblems(errors), exitCode: 1 };
  }
  const effective = effectiveSettings(settings);
  const result = format === 'kdl' ? settingsText(effective) : `${JSON.stringify(effectiveJson(effective), null, 2)}\n`;
  return { result, messages: '', exitCode: 0 };
};
