import { isatty } from 'node:tty';
import type { LogFormat } from '../../../domain/configuration/log-configuration.js';
import { printableLogText } from './printable-json.js';

type Line = Record<string, unknown>;

const printable = (value: unknown): unknown => {
  if (typeof value === 'string') return printableLogText(value);
  return Array.isArray(value) ? value.map(printable) : value;
};

/**
 * Text format: time, level, message, and indented fields. Characters that JSON escapes are escaped
 * here too, so external text can neither start a line nor move the cursor.
 */
const prettyLine = async (colour: boolean): Promise<(line: string) => string> => {
  const { default: pinoPretty } = await import('pino-pretty');
  const prettify = pinoPretty.prettyFactory({
    colorize: colour,
    messageKey: 'message',
    translateTime: 'UTC:yyyy-mm-dd HH:MM:ss.l',
    singleLine: true,
  });
  return (line) => {
    const record = JSON.parse(line) as Line;
    return prettify(Object.fromEntries(Object.entries(record).map(([name, value]) => [name, printable(value)])));
  };
};

/** Converts a JSON line to this format; null if the format is JSON. Colours are for terminals. */
export const lineFormat = async (
  format: LogFormat,
  fileDescriptor: number,
): Promise<((line: string) => string) | null> => (format === 'json' ? null : prettyLine(isatty(fileDescriptor)));
