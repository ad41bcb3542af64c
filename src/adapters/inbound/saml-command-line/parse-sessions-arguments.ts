import type { StorePlace } from '../../../application/agent/sessions/store-place.js';
import { didYouMean } from '../../../domain/configuration/schema/did-you-mean.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import { type FlagValues, misuse, only, type ParsedProgram, parseProgram } from './parsed-program.js';
import type { RevokedSessions, SessionsCommand } from './saml-command.js';
import { type SessionsCommandName, sessionsCommandNames, sessionsProgram, sessionsPrograms } from './saml-programs.js';

const name = 'gateway-auth sessions';
const defaultLimit = 100;
const highestLimit = 100_000;

/** Enough of an id that it can hardly be another's. */
const idPrefix = /^[0-9a-f]{8,64}$/;

const placeOf = (values: FlagValues): Result<StorePlace, string> => {
  const [configFile, agentName] = [only(values, 'config'), only(values, 'agent')];
  const [path, entityId] = [only(values, 'storePath'), only(values, 'entityId')];
  if (configFile !== null) {
    if (path !== null) return err('--config and --store-path exclude each other');
    if (entityId !== null) return err('--entity-id belongs to --store-path: the configuration has its own');
    return ok({ kind: 'agent', configFile, agentName });
  }
  if (agentName !== null) return err('--agent needs --config FILE');
  if (path === null) return err('there is no store: give --config FILE, or --store-path FILE and --entity-id URI');
  if (entityId === null) return err('--store-path needs --entity-id URI: a file may hold the sessions of several');
  return ok({ kind: 'file', path, entityId });
};

const limitOf = (values: FlagValues): Result<number, string> => {
  const text = only(values, 'limit');
  if (text === null) return ok(defaultLimit);
  const limit = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  return limit >= 1 && limit <= highestLimit ? ok(limit) : err(`--limit is a number from 1 to ${highestLimit}`);
};

const prefixOf = (text: string): Result<string, string> => {
  const prefix = text.toLowerCase();
  if (idPrefix.test(prefix)) return ok(prefix);
  return err(`"${text.slice(0, 80)}" is no id of a session: that is 8 to 64 hexadecimal digits, as list shows them`);
};

const revokedOf = (values: FlagValues, args: readonly string[]): Result<RevokedSessions, string> => {
  const userId = only(values, 'user');
  if (userId !== null) {
    return args.length === 0 ? ok({ kind: 'user', userId }) : err('ids and --user exclude each other');
  }
  if (args.length === 0) return err('give ids of sessions, or --user ID');
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
  { values, args }: ParsedProgram,
): Result<Exclude<SessionsCommand, { kind: 'say' }>, string> => {
  const place = placeOf(values);
  if (!place.ok) return place;
  const json = values['json'] === true;
  switch (command) {
    case 'list': {
      const limit = limitOf(values);
      if (!limit.ok) return limit;
      return ok({ kind: 'list', place: place.value, userId: only(values, 'user'), limit: limit.value, json });
    }
    case 'show': {
      const prefix = prefixOf(args[0] ?? '');
      return prefix.ok ? ok({ kind: 'show', place: place.value, prefix: prefix.value, json }) : prefix;
    }
    case 'revoke': {
      const sessions = revokedOf(values, args);
      return sessions.ok ? ok({ kind: 'revoke', place: place.value, sessions: sessions.value }) : sessions;
    }
  }
};

/** Reads what follows `gateway-auth sessions`. Never throws, writes or ends the process. */
export const parseSessionsArguments = (argv: readonly string[]): SessionsCommand => {
  const [first = '', ...rest] = argv;
  const command = sessionsCommandNames.find((one) => one === first);
  if (command !== undefined) {
    const parsed = parseProgram(`${name} ${command}`, sessionsPrograms[command], rest);
    if (parsed.kind === 'say') return parsed;
    const result = toCommand(command, parsed);
    return result.ok ? result.value : misuse(`${name} ${command}`, `error: ${result.error}`);
  }
  if (first === '' || first.startsWith('-')) {
    const parsed = parseProgram(name, sessionsProgram, argv);
    return parsed.kind === 'say' ? parsed : misuse(name, `error: give a command: ${sessionsCommandNames.join(', ')}`);
  }
  const near = didYouMean(first, sessionsCommandNames) ?? `the commands are ${sessionsCommandNames.join(', ')}`;
  return misuse(name, `error: there is no command "${first.slice(0, 80)}"; ${near}`);
};
