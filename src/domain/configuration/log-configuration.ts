import { err, ok, type Result } from '../shared/result.js';

const logLevels = ['error', 'warn', 'info', 'debug', 'trace', 'off'] as const;
/** How much is logged: this level and those before it. */
export type LogLevel = (typeof logLevels)[number];

/** How a log is written: JSON, a line each, or coloured text for people. */
export type LogFormat = 'json' | 'pretty';

export interface LogConfiguration {
  readonly level: LogLevel;
  readonly format: LogFormat;
  /** What of the settings could not be followed, for one WARN line; null where all could. */
  readonly warning: string | null;
}

/** The settings as they are found in the environment and on the command line. */
export interface LogSettings {
  /** RUST_LOG: a level, or a list of directives as in `gateway=debug,info`. */
  readonly level: string | undefined;
  /** GATEWAY_LOG_FORMAT. */
  readonly format: string | undefined;
  /** Logs at debug where no level is set. */
  readonly verbose: boolean;
}

/** Targets of directives that mean these programs. */
const ownTargets = new Set(['gateway', 'gateway-auth', 'gateway_auth', 'portcullis']);

const asLevel = (text: string): LogLevel | undefined => logLevels.find((level) => level === text.toLowerCase());

interface ReadLevel {
  readonly level: LogLevel | null;
  readonly unread: readonly string[];
}

/** A directive for us counts for more than a bare level, wherever it stands; of two alike the last counts. */
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
    : `RUST_LOG: ${unread.slice(0, 5).map(shown).join(', ')} ${unread.length > 5 ? 'and more ' : ''}not understood; logging at ${level}`;

const shown = (directive: string): string => JSON.stringify(directive.slice(0, 60));

/**
 * Reads the log settings. A level that cannot be read is a warning; a format that cannot is an error, fit to be
 * shown.
 */
export const readLogConfiguration = (settings: LogSettings): Result<LogConfiguration, string> => {
  const format = (settings.format ?? '').trim().toLowerCase() || 'json';
  if (format !== 'json' && format !== 'pretty') {
    return err(`GATEWAY_LOG_FORMAT is ${shown(settings.format ?? '')}; it can be "json" or "pretty"`);
  }
  const directives = (settings.level ?? '')
    .split(',')
    .map((directive) => directive.trim())
    .filter((directive) => directive !== '');
  const read = readDirectives(directives);
  const level = read.level ?? (settings.verbose ? 'debug' : 'info');
  return ok({ level, format, warning: warningOf(read.unread, level) });
};
