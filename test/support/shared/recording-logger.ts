import type { LogFields, Logger } from '../../../src/application/ports/shared/logger.js';

export interface LogLine {
  readonly level: 'error' | 'warn' | 'info' | 'debug' | 'trace';
  readonly message: string;
  readonly fields: LogFields;
}

/** A logger that keeps what it is told. */
export class RecordingLogger implements Logger {
  readonly lines: LogLine[] = [];

  error(message: string, fields: LogFields = {}): void {
    this.lines.push({ level: 'error', message, fields });
  }

  warn(message: string, fields: LogFields = {}): void {
    this.lines.push({ level: 'warn', message, fields });
  }

  info(message: string, fields: LogFields = {}): void {
    this.lines.push({ level: 'info', message, fields });
  }

  debug(message: string, fields: LogFields = {}): void {
    this.lines.push({ level: 'debug', message, fields });
  }

  trace(message: string, fields: LogFields = {}): void {
    this.lines.push({ level: 'trace', message, fields });
  }
}
