#!/usr/bin/env node
import { parseGatewayArguments } from '../adapters/inbound/gateway-command-line/parse-gateway-arguments.js';
import { reportProblems } from '../adapters/inbound/gateway-command-line/report-problems.js';
import { readLogConfiguration } from '../domain/configuration/log-configuration.js';
import { checkGateway } from './check-gateway.js';
import { runGateway } from './run-gateway.js';
import { programVersion } from './version.js';

const main = async (): Promise<number> => {
  const command = parseGatewayArguments(process.argv.slice(2), process.env, programVersion);
  if (command.kind === 'say') {
    (command.exitCode === 0 ? process.stdout : process.stderr).write(command.text);
    return command.exitCode;
  }
  if (command.kind !== 'run') {
    const { problems, summary } = await checkGateway(command.configFile, command.kind === 'validate');
    process.stderr.write(reportProblems(problems));
    if (summary !== null) process.stdout.write(`${summary}\n`);
    return summary === null ? 1 : 0;
  }
  const log = readLogConfiguration({
    level: process.env['RUST_LOG'],
    format: process.env['GATEWAY_LOG_FORMAT'],
    verbose: command.verbose,
  });
  if (!log.ok) {
    process.stderr.write(`error: ${log.error}\n`);
    return 1;
  }
  return runGateway(command.configFile, log.value);
};

process.exitCode = await main();
