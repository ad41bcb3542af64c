import { execFile } from 'node:child_process';
import { peerPath } from './peers.js';

export interface CurlAnswer {
  /** Exit code of the program; 0 where it got an answer. */
  readonly code: number;
  /** 0 where there was no answer. */
  readonly status: number;
  readonly body: string;
  /** What it complains about. */
  readonly complaint: string;
}

const patienceSeconds = '10';

/** One request with the real curl; the last argument is the URL. */
export const curl = (...parameters: readonly string[]): Promise<CurlAnswer> => {
  const program = peerPath('curl');
  if (program === null) throw new Error('curl is not installed: use describeWithPeers');
  const manner = ['-q', '--silent', '--show-error', '--noproxy', '*', '--max-time', patienceSeconds];
  return new Promise((resolve) => {
    execFile(program, [...manner, '--write-out', '\n%{http_code}', ...parameters], (error, output, complaint) => {
      const end = output.lastIndexOf('\n');
      const code = typeof error?.code === 'number' ? error.code : error === null ? 0 : 1;
      resolve({ code, status: Number(output.slice(end + 1)), body: output.slice(0, Math.max(end, 0)), complaint });
    });
  });
};
