import type { StoreLocation } from '../../../application/agent/sessions/store-location.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import type { UsageOutput } from '../../command-line/command-output.js';
import { emptyFlag, type FlagValues, flagValue } from '../../command-line/flag-values.js';
import { misuse, type ParsedArguments, parseCommandName, parseProgram } from '../../command-line/program.js';
import {
  type SessionsCommandName,
  sessionsCommandNames,
  sessionsGroup,
  sessionsProgram,
  sessionsPrograms,
} from './sessions-programs.js';

/** The sessions to end: some, by the first digits of their ids, or all of a user. */
export type RevokedSessions =
  | { readonly kind: 'ids'; readonly prefixes: readonly string[] }
  | { readonly kind: 'user'; readonly userId: string };

/** `gateway-auth sessions`. */
export type SessionsCommand =
  | {
      readonly kind: 'list';
      readonly place: StoreLocation;
      readonly userId: string | null;
      readonly limit: number;
      readonly json: boolean;
    }
  | { readonly kind: 'show'; readonly place: StoreLocation; readonly prefix: string; readonly json: boolean }
  | {
      readonly kind: 'revoke';
      readonly place: StoreLocation;
      readonly sessions: RevokedSessions;
      /** The audit log; null: that of the configuration. */
      readonly auditFile: string | null;
    };

const defaultLimit = 100;
const highestLimit = 100_000;

/** Eight digits hardly ever name two sessions. */
const idPrefix = /^[0-9a-f]{8,64}$/;

const placeOf = (values: FlagValues): Result<StoreLocation, string> => {
  const [configFile, agentName] = [flagValue(values, 'config'), flagValue(values, 'agent')];
  const [path, entityId] = [flagValue(values, 'store-path'), flagValue(values, 'entity-id')];
  if (configFile !== null) {
    if (path !== null) return err('--config and --store-path exclude each other');
    if (entityId !== null) return err('--entity-id needs --store-path: the configuration contains the entity id');
    return ok({ kind: 'agent', configFile, agentName });
  }
  if (agentName !== null) return err('--agent needs --config FILE');
  if (path === null) return err('no store: use --config FILE, or --store-path FILE and --entity-id URI');
  if (entityId === null)
    return err('--store-path needs --entity-id URI: a file may contain sessions of several service providers');
  return ok({ kind: 'file', path, entityId });
};

const limitOf = (values: FlagValues): Result<number, string> => {
  const text = flagValue(values, 'limit');
  if (text === null) return ok(defaultLimit);
  const limit = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  return limit >= 1 && limit <= highestLimit ? ok(limit) : err(`--limit must be a number from 1 to ${highestLimit}`);
};

const prefixOf = (text: string): Result<string, string> => {
  const prefix = text.toLowerCase();
  if (idPrefix.test(prefix)) return ok(prefix);
  return err(`"${text.slice(0, 80)}" is not a session id: use 8 to 64 hexadecimal digits, as shown by list`);
};

const revokedOf = (values: FlagValues, args: readonly string[]): Result<RevokedSessions, string> => {
  const userId = flagValue(values, 'user');
  if (userId !== null) {
    return args.length === 0 ? ok({ kind: 'user', userId }) : err('ids and --user exclude each other');
  }
  if (args.length === 0) return err('no sessions: give their ids, or --user ID');
  const prefixes: string[] = [];
  for (const arg of args) {
    const prefix = prefixOf(arg);
    if (!prefix.ok) return prefix;
    prefixes.push(prefix.value);
  }
  return ok({ kind: 'ids', prefixes });
};

const toCommand = (
  command: SessionsCommandName,
  { values, args }: ParsedArguments,
): Result<SessionsCommand, string> => {
  const place = placeOf(values);
  if (!place.ok) return place;
  const json = values['json'] === true;
  switch (command) {
    case 'list': {
      const limit = limitOf(values);
      if (!limit.ok) return limit;
      return ok({ kind: 'list', place: place.value, userId: flagValue(values, 'user'), limit: limit.value, json });
    }
    case 'show': {
      const prefix = prefixOf(args[0] ?? '');
      return prefix.ok ? ok({ kind: 'show', place: place.value, prefix: prefix.value, json }) : prefix;
    }
    case 'revoke': {
      const sessions = revokedOf(values, args);
      if (!sessions.ok) return sessions;
      const auditFile = flagValue(values, 'audit-file');
      return ok({ kind: 'revoke', place: place.value, sessions: sessions.value, auditFile });
    }
  }
};

/** Reads the arguments after `gateway-auth sessions`. Never throws, writes or ends the process. */
export const parseSessionsArguments = (argv: readonly string[]): SessionsCommand | UsageOutput => {
  const command = parseCommandName(sessionsGroup, sessionsProgram, sessionsCommandNames, argv);
  if (typeof command !== 'string') return command;
  const name = `${sessionsGroup} ${command}`;
  const parsed = parseProgram(name, sessionsPrograms[command], argv.slice(1));
  if (parsed.kind === 'usage') return parsed;
  const empty = emptyFlag(parsed.values);
  if (empty !== null) return misuse(name, `error: --${empty} is empty`);
  const result = toCommand(command, parsed);
  return result.ok ? result.value : misuse(name, `error: ${result.error}`);
};
