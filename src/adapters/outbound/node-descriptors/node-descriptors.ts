import { closeSync, openSync, readFileSync } from 'node:fs';
import { devNull } from 'node:os';
import type { DescriptorFigures } from '../../../application/ports/gateway/process-figures.js';

/** The soft limit in the text of /proc/self/limits; null where it is not a number. */
export const openFilesLimit = (text: string): number | null => {
  const digits = /^Max open files\s+(\d+)\s/m.exec(text)?.[1];
  return digits === undefined ? null : Number(digits);
};

/** What Node reports where there is no /proc. */
const reportedLimit = (): number | null => {
  // Otherwise the report asks for the name of each peer.
  const report = process.report as NodeJS.ProcessReport & { excludeNetwork?: boolean };
  report.excludeNetwork = true;
  const { userLimits } = report.getReport() as { userLimits?: { open_files?: { soft?: unknown } } };
  const soft = userLimits?.open_files?.soft;
  return typeof soft === 'number' ? soft : null;
};

const readLimit = (): number | null => {
  try {
    return openFilesLimit(readFileSync('/proc/self/limits', 'latin1'));
  } catch {
    return process.platform === 'linux' ? null : reportedLimit();
  }
};

export class NodeDescriptors implements DescriptorFigures {
  #limit: number | null | undefined;

  /** Is read once: nothing in a gateway changes it. */
  limit(): number | null {
    this.#limit ??= readLimit();
    return this.#limit;
  }

  areExhausted(): boolean {
    try {
      closeSync(openSync(devNull, 'r'));
      return false;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      return code === 'EMFILE' || code === 'ENFILE';
    }
  }
}
