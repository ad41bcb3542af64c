#!/usr/bin/env node
import '../shared/debug-signal.js';
import { type CommandOutput, runCommand } from '../../adapters/command-line/command-output.js';
import type { ExplainCommand } from '../../adapters/inbound/gateway-command-line/parse-config-explain.js';
import {
  type GatewayCommand,
  type MigrationOutput,
  parseGatewayArguments,
  type RunCommand,
} from '../../adapters/inbound/gateway-command-line/parse-gateway-arguments.js';
import { readLogConfiguration } from '../../domain/configuration/log-configuration.js';
import { versionText } from '../shared/version-text.js';

// Each command loads only its own modules, so that help is fast.

const check = async (configFile: string, thorough: boolean): Promise<CommandOutput> => {
  const { checkGateway, checkOutput } = await import('./check-gateway.js');
  return checkOutput(await checkGateway(configFile, thorough));
};

const checkFile = async (configFile: string, strict: boolean): Promise<CommandOutput> => {
  const { checkConfigurationFile, checkOutput } = await import('./check-gateway.js');
  return checkOutput(await checkConfigurationFile(configFile), strict);
};

const migrate = async (configFile: string, output: MigrationOutput): Promise<CommandOutput> => {
  const { migrateToOutput } = await import('./migrate-configuration.js');
  return migrateToOutput(configFile, output);
};

const print = async (configFile: string, format: 'kdl' | 'json'): Promise<CommandOutput> => {
  const { printConfiguration } = await import('./print-configuration.js');
  return printConfiguration(configFile, format);
};

const explain = async (command: ExplainCommand): Promise<CommandOutput> => {
  const { explainConfiguration } = await import('./explain-configuration.js');
  return explainConfiguration(command);
};

const reload = async (configFile: string): Promise<CommandOutput> => {
  const { reloadGateway } = await import('./reload-gateway.js');
  return reloadGateway(configFile);
};

/** Runs a command other than `run`. */
const runOnce = (command: Exclude<GatewayCommand, RunCommand>): Promise<CommandOutput> => {
  switch (command.kind) {
    case 'test':
      return check(command.configFile, false);
    case 'validate':
      return check(command.configFile, true);
    case 'check':
      return checkFile(command.configFile, command.strict);
    case 'migrate':
      return migrate(command.configFile, command.output);
    case 'print':
      return print(command.configFile, command.format);
    case 'explain':
      return explain(command);
    case 'reload':
      return reload(command.configFile);
  }
};

const main = async (): Promise<number> => {
  const argv = process.argv.slice(2);
  const command = parseGatewayArguments(argv, process.env, await versionText(argv));
  if (command.kind !== 'run') return runCommand(command, runOnce);
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
  return runGateway(command.configFile, log.value, { pidFile, overrides: { workerThreads } });
};

process.exitCode = await main();
