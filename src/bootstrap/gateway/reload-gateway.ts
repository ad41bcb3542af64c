import { type CommandOutput, failedCommand } from '../../adapters/command-line/command-output.js';
import { reportProblems } from '../../adapters/command-line/terminal-text.js';
import { reloadReport } from '../../adapters/inbound/gateway-command-line/reload-report.js';
import { HttpAdminClient } from '../../adapters/outbound/admin-client/http-admin-client.js';
import { socketAddressText } from '../../domain/configuration/schema/network-kinds.js';
import { configurationFile } from '../shared/configuration-file.js';

/** Timeout; workers have one minute to prepare a reload. */
const deadlineMs = 70_000;

/** Requests a reload from the running gateway, at the admin address in the file. */
export const reloadGateway = async (configFile: string): Promise<CommandOutput> => {
  const { configuration, problems } = await configurationFile(configFile).load();
  if (configuration === null) {
    return failedCommand(`${reportProblems(problems)}error: fix the errors first: no reload was requested\n`);
  }
  const { admin } = configuration;
  if (admin === null) {
    return failedCommand('error: the configuration has no admin block: send SIGHUP to the gateway process\n');
  }
  if (admin.token === null) {
    return failedCommand(
      'error: the admin block has no token, which a reload requires: set one, or send SIGHUP to the gateway process\n',
    );
  }
  const where = socketAddressText(admin.address);
  const answered = await new HttpAdminClient(deadlineMs).post(admin.address, '/admin/reload', admin.token);
  return reloadReport(answered, where);
};
