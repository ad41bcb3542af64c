import { describe, expect, it } from 'vitest';
import {
  documentsOfGroup,
  VerificationShares,
} from '../../../../../../src/application/agent/sign-on/saml/verification-shares.js';

const held = () => {
  let resolve: (value: string) => void = () => {};
  let reject: (fault: Error) => void = () => {};
  const promise = new Promise<string>((onResolved, onRejected) => {
    resolve = onResolved;
    reject = onRejected;
  });
  return { job: () => promise, resolve, reject };
};

describe('running verifications', () => {
  it('are limited per client address, and a finished one frees its slot', async () => {
    const shares = new VerificationShares();
    const jobs = Array.from({ length: documentsOfGroup }, held);
    const results = jobs.map(({ job }) => shares.run('192.0.2.7', job));
    let isRun = false;
    const more = async () => {
      isRun = true;
      return 'more';
    };
    expect(shares.run('192.0.2.7', more)).toBeNull();
    expect(isRun).toBe(false);
    jobs[2]?.resolve('third');
    await expect(results[2]).resolves.toBe('third');
    await expect(shares.run('192.0.2.7', more)).resolves.toBe('more');
  });

  it('free their slot after a synchronous or asynchronous failure', async () => {
    const shares = new VerificationShares();
    for (let count = 0; count < 10; count += 1) {
      const { job, reject } = held();
      const later = shares.run('192.0.2.7', job);
      reject(new Error('later'));
      await expect(later).rejects.toThrow('later');
      const thrown = shares.run('192.0.2.7', () => {
        throw new Error('at once');
      });
      await expect(thrown).rejects.toThrow('at once');
    }
    await expect(shares.run('192.0.2.7', async () => 'fine')).resolves.toBe('fine');
  });

  it('of one client do not affect others, except in the same /64', () => {
    const shares = new VerificationShares();
    for (let last = 1; last <= documentsOfGroup; last += 1) {
      expect(shares.run(`2001:db8::${last.toString(16)}:${last}`, held().job)).not.toBeNull();
    }
    expect(shares.run('2001:db8::5', held().job)).toBeNull();
    expect(shares.run('2001:db8:0:1::5', held().job)).not.toBeNull();
    expect(shares.run('192.0.2.7', held().job)).not.toBeNull();
  });
});
