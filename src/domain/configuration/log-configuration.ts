import { err, ok, type Result } from '../shared/result.js';

const logLevels = ['error', 'warn', 'info', 'debug', 'trace', 'off'] as const;
/** A log level includes all levels before it. */
export type LogLevel = (typeof logLevels)[number];

/** JSON with one object per line, or coloured text for people. */
export type LogFormat = 'json' | 'pretty';

export interface LogConfiguration {
  readonly level: LogLevel;
  readonly format: LogFormat;
  /** Text of a WARN line about invalid settings; null: all are valid. */
  readonly warning: string | null;
}

/** The raw settings from the environment and the command line. */
export interface LogInputs {
  /** RUST_LOG: a level, or a list of directives such as `gateway=debug,info`. */
  readonly level: string | undefined;
  /** GATEWAY_LOG_FORMAT. */
  readonly format: string | undefined;
  /** Selects debug if no level is set. */
  readonly verbose: boolean;
}

/** Names of these programs in directives. */
const ownTargets = new Set(['gateway', 'gateway-auth', 'gateway_auth', 'portcullis']);

const asLevel = (text: string): LogLevel | undefined => logLevels.find((level) => level === text.toLowerCase());

interface ReadLevel {
  readonly level: LogLevel | null;
  readonly unread: readonly string[];
}

/** A directive for these programs overrides a bare level. Of two equal directives, the last wins. */
const readDirectives = (directives: readonly string[]): ReadLevel => {
  let bare: LogLevel | null = null;
  let own: LogLevel | null = null;
  const unread: string[] = [];
  for (const directive of directives) {
    const equals = directive.indexOf('=');
    const target = equals === -1 ? '' : directive.slice(0, equals).trim().toLowerCase();
    const level = asLevel(directive.slice(equals + 1).trim());
    if (level === undefined || (equals !== -1 && !ownTargets.has(target))) unread.push(directive);
    else if (equals === -1) bare = level;
    else own = level;
  }
  return { level: own ?? bare, unread };
};

const warningOf = (unread: readonly string[], level: LogLevel): string | null =>
  unread.length === 0
    ? null
    : `RUST_LOG: ignored ${unread.slice(0, 5).map(shown).join(', ')}${unread.length > 5 ? ' and more' : ''}; the log level is ${level}`;

const shown = (directive: string): string => JSON.stringify(directive.slice(0, 60));

/** Reads the log settings. An invalid level is a warning. An invalid format is an error with a message for the user. */
export const readLogConfiguration = (settings: LogInputs): Result<LogConfiguration, string> => {
  const format = (settings.format ?? '').trim().toLowerCase() || 'json';
  if (format !== 'json' && format !== 'pretty') {
    return err(`GATEWAY_LOG_FORMAT must be "json" or "pretty", not ${shown(settings.format ?? '')}`);
  }
  const directives = (settings.level ?? '')
    .split(',')
    .map((directive) => directive.trim())
    .filter((directive) => directive !== '');
  const read = readDirectives(directives);
  const level = read.level ?? (settings.verbose ? 'debug' : 'info');
  return ok({ level, format, warning: warningOf(read.unread, level) });
};
