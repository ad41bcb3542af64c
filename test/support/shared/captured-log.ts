import { closeSync, openSync, readFileSync } from 'node:fs';
import { lineFormat } from '../../../src/adapters/outbound/pino-log/line-format.js';
import { LogOutput } from '../../../src/adapters/outbound/pino-log/log-output.js';
import type { LogFormat } from '../../../src/domain/configuration/log-configuration.js';
import { temporaryFolder } from './temporary-folder.js';

/** What `log` writes to a log output, as text. */
export const capturedLog = async (log: (output: LogOutput) => void, format: LogFormat = 'json'): Promise<string> => {
  const folder = temporaryFolder();
  const path = folder.file('log');
  const fileDescriptor = openSync(path, 'a');
  try {
    const output = new LogOutput({ fileDescriptor, format: await lineFormat(format, fileDescriptor) });
    log(output);
    await output.close(5000);
    return readFileSync(path, 'utf8');
  } finally {
    closeSync(fileDescriptor);
    folder.remove();
  }
};

/** The records of a log in JSON. Fails where a line is none. */
export const recordsOf = (log: string): readonly Record<string, unknown>[] =>
  log
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Record<string, unknown>);
