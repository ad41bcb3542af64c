#!/usr/bin/env node
import { parseGatewayArguments } from '../adapters/inbound/gateway-command-line/parse-gateway-arguments.js';
import { readLogConfiguration } from '../domain/configuration/log-configuration.js';
import { programVersion } from './version.js';

/** Loaded when it is needed, so that the help comes at once. */
const check = async (configFile: string, thorough: boolean): Promise<number> => {
  const { checkGateway } = await import('./check-gateway.js');
  const { reportProblems } = await import('../adapters/inbound/gateway-command-line/report-problems.js');
  const { problems, summary } = await checkGateway(configFile, thorough);
  process.stderr.write(reportProblems(problems));
  if (summary !== null) process.stdout.write(`${summary}\n`);
  return summary === null ? 1 : 0;
};

const main = async (): Promise<number> => {
  const command = parseGatewayArguments(process.argv.slice(2), process.env, programVersion);
  if (command.kind === 'say') {
    (command.exitCode === 0 ? process.stdout : process.stderr).write(command.text);
    return command.exitCode;
  }
  if (command.kind !== 'run') return check(command.configFile, command.kind === 'validate');
  const log = readLogConfiguration({
    level: process.env['RUST_LOG'],
    format: process.env['GATEWAY_LOG_FORMAT'],
    verbose: command.verbose,
  });
  if (!log.ok) {
    process.stderr.write(`error: ${log.error}\n`);
    return 1;
  }
  const { runGateway } = await import('./run-gateway.js');
  return runGateway(command.configFile, log.value);
};

process.exitCode = await main();
