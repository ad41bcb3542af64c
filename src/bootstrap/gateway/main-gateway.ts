#!/usr/bin/env node
import '../shared/debug-signal.js';
import { parseGatewayArguments } from '../../adapters/inbound/gateway-command-line/parse-gateway-arguments.js';
import { readLogConfiguration } from '../../domain/configuration/log-configuration.js';
import { programVersion } from '../shared/version.js';
import type { CommandOutput } from './print-configuration.js';

/** Loaded when it is needed, so that the help comes at once. */
const check = async (configFile: string, thorough: boolean): Promise<number> => {
  const { checkGateway } = await import('./check-gateway.js');
  const { reportProblems } = await import('../../adapters/inbound/gateway-command-line/report-problems.js');
  const { problems, summary } = await checkGateway(configFile, thorough);
  process.stderr.write(reportProblems(problems));
  if (summary !== null) process.stdout.write(`${summary}\n`);
  return summary === null ? 1 : 0;
};

/** `config check`. With `strict` a warning is a reason for 1. */
const checkFile = async (configFile: string, strict: boolean): Promise<number> => {
  const { checkConfigurationFile } = await import('./check-gateway.js');
  const { reportProblems } = await import('../../adapters/inbound/gateway-command-line/report-problems.js');
  const { problems, summary } = await checkConfigurationFile(configFile);
  process.stderr.write(reportProblems(problems));
  if (summary !== null) process.stdout.write(`${summary}\n`);
  return summary === null || (strict && problems.length > 0) ? 1 : 0;
};

const write = async (output: Promise<CommandOutput>): Promise<number> => {
  const { writeOutput } = await import('../shared/write-output.js');
  return writeOutput(await output);
};

const reload = async (configFile: string): Promise<number> => {
  const { reloadGateway } = await import('./reload-gateway.js');
  const { exitCode, text } = await reloadGateway(configFile);
  (exitCode === 0 ? process.stdout : process.stderr).write(text);
  return exitCode;
};

const main = async (): Promise<number> => {
  const command = parseGatewayArguments(process.argv.slice(2), process.env, programVersion);
  if (command.kind === 'say') {
    (command.exitCode === 0 ? process.stdout : process.stderr).write(command.text);
    return command.exitCode;
  }
  if (command.kind === 'reload') return reload(command.configFile);
  if (command.kind === 'check') return checkFile(command.configFile, command.strict);
  if (command.kind === 'migrate') {
    const { migrateToOutput } = await import('./migrate-configuration.js');
    return write(migrateToOutput(command.configFile, command.output));
  }
  if (command.kind === 'print') {
    const { printConfiguration } = await import('./print-configuration.js');
    return write(printConfiguration(command.configFile, command.format));
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
  const { pidFile, workerThreads } = command;
  return runGateway(command.configFile, log.value, { pidFile, instead: { workerThreads } });
};

process.exitCode = await main();
