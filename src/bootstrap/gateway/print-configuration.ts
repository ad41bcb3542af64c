import { type CommandOutput, failedCommand } from '../../adapters/command-line/command-output.js';
import { reportProblems } from '../../adapters/command-line/terminal-text.js';
import { settingsText } from '../../adapters/outbound/kdl-configuration/source-text.js';
import { effectiveJson } from '../../domain/configuration/whole/effective/effective-json.js';
import { effectiveSettings } from '../../domain/configuration/whole/effective/effective-settings.js';
import { configurationFile } from '../shared/configuration-file.js';

/** Prints the configuration of a file with its defaults; hides secrets. */
export const printConfiguration = async (configFile: string, format: 'kdl' | 'json'): Promise<CommandOutput> => {
  const { configuration, problems, settings } = await configurationFile(configFile).load();
  const errors = problems.filter(({ severity }) => severity === 'error');
  if (configuration === null || settings === undefined) {
    return failedCommand(reportProblems(errors));
  }
  const effective = effectiveSettings(settings);
  const stdout = format === 'kdl' ? settingsText(effective) : `${JSON.stringify(effectiveJson(effective), null, 2)}\n`;
  return { stdout, stderr: '', exitCode: 0 };
};
