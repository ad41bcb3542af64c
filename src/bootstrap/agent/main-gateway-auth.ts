#!/usr/bin/env node
import '../shared/debug-signal.js';
import { writeOutput } from '../../adapters/command-line/command-output.js';
import { parseAgentArguments } from '../../adapters/inbound/agent-command-line/parse-agent-arguments.js';
import type { HashCommand } from '../../adapters/inbound/agent-command-line/parse-hash-arguments.js';
import { readLogConfiguration } from '../../domain/configuration/log-configuration.js';
import { versionText } from '../shared/version-text.js';

// Each command loads only its own modules, so that it starts fast.

const hash = async (command: HashCommand): Promise<number> => {
  const { hashSecret } = await import('./hash-secret.js');
  return hashSecret(command);
};

const policy = async (argv: readonly string[]): Promise<number> => {
  const { policyCommand } = await import('./policy-command.js');
  return policyCommand(argv);
};

const saml = async (argv: readonly string[]): Promise<number> => {
  const { samlCommand } = await import('./saml-command.js');
  return samlCommand(argv);
};

const sessions = async (argv: readonly string[]): Promise<number> => {
  const { sessionsCommand } = await import('./sessions-command.js');
  return sessionsCommand(argv);
};

const main = async (): Promise<number> => {
  const argv = process.argv.slice(2);
  const [first, ...rest] = argv;
  if (first === 'policy') return policy(rest);
  if (first === 'saml') return saml(rest);
  if (first === 'sessions') return sessions(rest);
  const command = parseAgentArguments(argv, process.env, await versionText(argv));
  if (command.kind === 'usage') return writeOutput(command);
  if (command.kind === 'hash-password' || command.kind === 'hash-key') return hash(command);
  const log = readLogConfiguration({
    level: process.env['RUST_LOG'],
    format: process.env['GATEWAY_LOG_FORMAT'],
    verbose: command.verbose,
  });
  if (!log.ok) {
    process.stderr.write(`error: ${log.error}\n`);
    return 1;
  }
  const { runAgent } = await import('./run-agent.js');
  return runAgent(command, log.value);
};

process.exitCode = await main();
