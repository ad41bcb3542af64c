import { type CommandOutput, failedCommand } from '../../adapters/command-line/command-output.js';
import { reportProblems } from '../../adapters/command-line/terminal-text.js';
import { reloadReport } from '../../adapters/inbound/gateway-command-line/reload-report.js';
import { HttpAdminClient } from '../../adapters/outbound/admin-client/http-admin-client.js';
import { socketAddressText } from '../../domain/configuration/schema/network-kinds.js';
import { configurationFile } from '../shared/configuration-file.js';

/** A reload has a minute to be prepared in all workers. */
const deadlineMs = 70_000;

/** Has the gateway that runs with this file load it again, by its admin address. */
export const reloadGateway = async (configFile: string): Promise<CommandOutput> => {
  const { configuration, problems } = await configurationFile(configFile).load();
  if (configuration === null) {
    return failedCommand(`${reportProblems(problems)}error: the gateway was not asked to reload a file with errors\n`);
  }
  const { admin } = configuration;
  if (admin === null) {
    return failedCommand('error: the configuration has no admin block: send SIGHUP to the process of the gateway\n');
  }
  if (admin.token === null) {
    return failedCommand(
      'error: the admin block has no token, which a reload needs: send SIGHUP to the process of the gateway\n',
    );
  }
  const where = socketAddressText(admin.address);
  const answered = await new HttpAdminClient(deadlineMs).post(admin.address, '/admin/reload', admin.token);
  return reloadReport(answered, where);
};
