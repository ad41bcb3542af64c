import { EchoUpstream } from '../../adapters/inbound/echo-upstream/echo-upstream.js';
import { startupErrorText } from '../../adapters/inbound/gateway-command-line/startup-error-text.js';
import { readLogConfiguration } from '../../domain/configuration/log-configuration.js';
import { runGateway } from './run-gateway.js';
import type { RunningGateway } from './start-gateway.js';

/** The shipped configuration, and the port of its upstream. */
const configFile = 'config/gateway.kdl';
const echoPort = 8081;

const invitation = ({ addresses }: RunningGateway): string => {
  const [listener] = addresses.listeners.values();
  const url = listener ? `http://${listener.host}:${listener.port}` : '';
  const admin = addresses.admin ? `http://${addresses.admin.host}:${addresses.admin.port}` : null;
  return [
    '',
    `Portcullis serves ${configFile} on ${url}, in front of an upstream that echoes requests.`,
    '',
    'Without a credential (401):',
    `  curl -i ${url}/hello`,
    'With a credential (200; see X-User-Id in the echo):',
    `  curl -i -H 'X-API-Key: demo-key-change-me' ${url}/hello`,
    ...(admin ? ['Metrics:', `  curl ${admin}/metrics`] : []),
    '',
    'Press Ctrl-C to stop.',
    '',
    '',
  ].join('\n');
};

const main = async (): Promise<number> => {
  const log = readLogConfiguration({
    level: process.env['RUST_LOG'],
    // For people.
    format: process.env['GATEWAY_LOG_FORMAT'] ?? 'pretty',
    verbose: false,
  });
  if (!log.ok) {
    process.stderr.write(`error: ${log.error}\n`);
    return 1;
  }
  const upstream = new EchoUpstream();
  try {
    await upstream.listen(echoPort);
  } catch (error) {
    process.stderr.write(`error: ${startupErrorText(error)}\n`);
    return 1;
  }
  try {
    return await runGateway(configFile, log.value, {
      started: (gateway) => process.stdout.write(invitation(gateway)),
    });
  } finally {
    await upstream.close();
  }
};

process.exitCode = await main();
