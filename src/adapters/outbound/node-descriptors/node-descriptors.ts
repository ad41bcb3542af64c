import { closeSync, openSync, readFileSync } from 'node:fs';
import { devNull } from 'node:os';
import type { DescriptorFigures } from '../../../application/ports/gateway/process-figures.js';

/** Parses the soft limit from /proc/self/limits; null if it is not a number. */
export const openFilesLimit = (text: string): number | null => {
  const digits = /^Max open files\s+(\d+)\s/m.exec(text)?.[1];
  return digits === undefined ? null : Number(digits);
};

/** The limit from Node's diagnostic report, for systems without /proc. */
const reportedLimit = (): number | null => {
  // Avoids a reverse DNS lookup for each peer.
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

  /** Cached: nothing in the gateway changes it. */
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
