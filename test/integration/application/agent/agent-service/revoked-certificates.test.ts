import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { revocationCheckIntervalMs } from '../../../../../src/application/agent/revocation/revocation-files.js';
import type { ScheduledTask, Scheduler } from '../../../../../src/application/ports/shared/scheduler.js';
import { startedTestAgent, testAgent } from '../../../../support/agent/test-agent.js';
import { ManualClock } from '../../../../support/shared/manual-clock.js';
import {
  type OpensslCertificate,
  OpensslCertificates,
  type RevocationListPlan,
} from '../../../../support/shared/openssl-certificates.js';
import { type TemporaryFolder, temporaryFolder } from '../../../../support/shared/temporary-folder.js';

const dayMs = 86_400_000;
const nowMs = new ManualClock().wallMs();
const validity = [nowMs - 10 * dayMs, nowMs + 10 * dayMs] as const;
const current = [nowMs - dayMs, nowMs + dayMs] as const;

let pki: OpensslCertificates;
let root: OpensslCertificate;
let issuing: OpensslCertificate;
let stranger: OpensslCertificate;
let alice: OpensslCertificate;
let bob: OpensslCertificate;
let folder: TemporaryFolder;

beforeAll(() => {
  pki = new OpensslCertificates();
  root = pki.authority('root', { validity });
  issuing = pki.authority('issuing', { by: root, validity });
  stranger = pki.authority('stranger', { validity });
  alice = pki.client('alice', { by: issuing, validity });
  bob = pki.client('bob', { by: issuing, validity });
  folder = temporaryFolder();
});
afterAll(() => {
  pki.remove();
  folder.remove();
});
afterEach(() => rmSync(folder.file('a.crl'), { force: true }));

/** Runs the periodic tasks of the lists when a test says so. */
class ManualPeriods implements Scheduler {
  readonly #tasks = new Set<() => void>();
  after(): ScheduledTask {
    return { cancel: () => undefined };
  }
  every(intervalMs: number, task: () => void): ScheduledTask {
    if (intervalMs === revocationCheckIntervalMs) this.#tasks.add(task);
    return { cancel: () => void this.#tasks.delete(task) };
  }
  get size(): number {
    return this.#tasks.size;
  }
  pass(): void {
    for (const task of this.#tasks) task();
  }
}

const list = (by: OpensslCertificate, revoked: readonly OpensslCertificate[] = [], plan: RevocationListPlan = {}) =>
  pki.revocationList(by, { revoked, validity: current, ...plan });

const configured = (text: string | Uint8Array, authorities: readonly OpensslCertificate[] = [root, issuing]) => {
  writeFileSync(folder.file('a.crl'), text);
  const file = pki.bundle('authorities.pem', authorities);
  return { mtls: { enabled: true, 'ca-cert-path': file, 'crl-file': folder.file('a.crl') } };
};

const started = async (text: string | Uint8Array, authorities?: readonly OpensslCertificate[]) => {
  const scheduler = new ManualPeriods();
  const made = await startedTestAgent(configured(text, authorities), { scheduler });
  const kindOf = async (who: OpensslCertificate, ...chain: readonly OpensslCertificate[]) => {
    const pem = [who, ...chain].map(({ certificate }) => certificate).join('');
    return (await made.ask(['x-client-cert', encodeURIComponent(pem)])).decision.kind;
  };
  const reason = () => made.logger.lines.at(-1)?.fields['reason'];
  return { ...made, scheduler, kindOf, reason };
};

const refusal = async (text: string | Uint8Array, authorities?: readonly OpensslCertificate[]) => {
  const { agent } = testAgent(configured(text, authorities));
  const outcome = await agent.start();
  return outcome.ok ? 'accepted' : outcome.error.map(({ message }) => message).join('; ');
};

describe('a revocation list', () => {
  it('refuses the certificates that it names, and no other', async () => {
    const { kindOf, reason, agent } = await started(list(issuing, [bob]));
    expect(await kindOf(alice)).toBe('allow');
    expect(await kindOf(bob)).toBe('block');
    expect(reason()).toBe('certificate_revoked');
    expect(await kindOf(alice)).toBe('allow');
    expect(agent.health().state).toBe('healthy');
  });

  it('can be DER, or one of several in a file', async () => {
    const text = list(issuing, [bob]);
    const der = Buffer.from(text.replaceAll(/-----[^-]+-----|\n/g, ''), 'base64');
    const ofDer = await started(der);
    expect([await ofDer.kindOf(alice), await ofDer.kindOf(bob)]).toEqual(['allow', 'block']);
    const both = await started(list(root) + text);
    expect([await both.kindOf(alice), await both.kindOf(bob)]).toEqual(['allow', 'block']);
  });

  it('of an authority above refuses all certificates of a revoked authority', async () => {
    const onlyRoot = await started(list(root, [issuing]), [root]);
    expect(await onlyRoot.kindOf(alice, issuing)).toBe('block');
    expect(onlyRoot.reason()).toBe('certificate_revoked');
    const asAnchor = await started(list(root, [issuing]));
    expect(await asAnchor.kindOf(alice)).toBe('block');
  });

  it('is signed with RSA, RSASSA-PSS or Ed25519 too', async () => {
    for (const [key, pss] of [
      ['rsa-2048', false],
      ['rsa-2048', true],
      ['ed25519', false],
    ] as const) {
      const authority = pki.authority('other kind', { key, validity });
      const client = pki.client('carol', { by: authority, validity });
      const { kindOf, reason } = await started(list(authority, [client], { pss }), [authority]);
      expect(await kindOf(client)).toBe('block');
      expect(reason()).toBe('certificate_revoked');
    }
  });

  it('is unusable for another key of the same name', async () => {
    const twin = pki.authority('issuing', { validity });
    expect(await refusal(list(twin, [bob]))).toMatch(/no authority of ca-cert-path signed: number 1/);
  });

  it('counts for certificates that a second key of the same authority issued', async () => {
    const renewed = pki.authority('issuing', { by: root, validity });
    const carol = pki.client('carol', { by: renewed, validity });
    const { kindOf } = await started(list(issuing, [carol]), [issuing, renewed]);
    expect(await kindOf(carol)).toBe('block');
  });

  it.each<readonly [string, () => string, RegExp]>([
    ['an unknown issuer', () => list(stranger), /no authority of ca-cert-path signed/],
    ['a SHA-1 signature', () => list(issuing, [], { digest: 'sha1' }), /no authority of ca-cert-path signed/],
    ['no list', () => 'nothing', /holds no certificate revocation list$/],
    [
      'an indirect list',
      () =>
        list(issuing, [], {
          extensions: { issuingDistributionPoint: 'critical,@point' },
          sections: '[point]\nfullname = URI:http://a.example/\nindirectCRL = TRUE',
        }),
      /number 1 is indirect or covers only some certificates/,
    ],
    [
      'an unknown critical extension',
      () => list(issuing, [], { extensions: { '1.2.3.4': 'critical,DER:05:00' } }),
      /has an unknown critical extension/,
    ],
    [
      'a delta list',
      () => list(issuing, [], { extensions: { '2.5.29.27': 'critical,DER:02:01:01' } }),
      /is a delta list; use a complete list/,
    ],
  ])('is an error at load with %s', async (_case, text, error) => {
    expect(await refusal(text())).toMatch(error);
  });

  it('is an error with one changed octet anywhere', async () => {
    const text = list(issuing, [bob]);
    const der = Buffer.from(text.replaceAll(/-----[^-]+-----|\n/g, ''), 'base64');
    const faults: string[] = [];
    for (let place = 0; place < der.length; place += 7) {
      const changed = Buffer.from(der);
      changed[place] = (changed[place] as number) ^ 0x01;
      faults.push(await refusal(changed));
    }
    expect(faults.filter((fault) => fault === 'accepted')).toEqual([]);
  });

  it('is an error if its signer may not sign lists', async () => {
    const keyUsage = 'critical,keyCertSign';
    const limited = pki.authority('limited', { validity, extensions: { keyUsage } });
    expect(await refusal(list(limited), [limited])).toMatch(/no authority of ca-cert-path signed/);
  });

  it('is an error if it is missing or larger than 8 MiB', async () => {
    expect(await refusal(Buffer.alloc(8 * 1024 * 1024 + 1, 0x20))).toMatch(/is larger than 8388608 bytes$/);
    const mtls = { ...configured('').mtls, 'crl-file': '/no/such/file' };
    const outcome = await testAgent({ mtls }).agent.start();
    expect(outcome.ok ? '' : outcome.error[0]?.message).toMatch(/\/no\/such\/file cannot be read: it does not exist$/);
  });
});

describe('the agent', () => {
  it('refuses the certificates of an outdated list, and reports itself degraded', async () => {
    const { kindOf, reason, clock, agent, scheduler, logger } = await started(list(issuing));
    expect(await kindOf(alice)).toBe('allow');
    clock.advance(dayMs + 1_000);
    expect(await kindOf(alice)).toBe('block');
    expect(reason()).toBe('certificate_revocation_unknown');
    expect(agent.health()).toMatchObject({
      state: 'degraded',
      message: `mtls: crl-file: the file ${folder.file('a.crl')} holds an outdated list`,
    });
    let changes = 0;
    agent.onHealthChange(() => {
      changes += 1;
    });
    scheduler.pass();
    await expect.poll(() => changes).toBe(1);
    expect(logger.lines.at(-1)?.message).toBe('certificate revocation lists cannot be relied on');
  });

  it('starts with an outdated list, with a warning', async () => {
    const old = [nowMs - 3 * dayMs, nowMs - 2 * dayMs] as const;
    const { kindOf, agent, logger } = await started(list(issuing, [], { validity: old }));
    expect(await kindOf(alice)).toBe('block');
    expect(agent.health().state).toBe('degraded');
    expect(logger.lines.find(({ level }) => level === 'warn')?.message).toMatch(/mtls: crl-file: .* an outdated list/);
  });

  it('reads a list again when its file changes, also for certificates that it has accepted', async () => {
    const { kindOf, scheduler } = await started(list(issuing));
    expect(await kindOf(bob)).toBe('allow');
    writeFileSync(folder.file('b.crl'), list(issuing, [bob], { validity: [nowMs - 1_000, nowMs + dayMs] }));
    renameSync(folder.file('b.crl'), folder.file('a.crl'));
    scheduler.pass();
    await expect.poll(() => kindOf(bob)).toBe('block');
    expect(await kindOf(alice)).toBe('allow');
  });

  it('keeps the last usable list while its file is damaged or missing', async () => {
    const { kindOf, scheduler, agent } = await started(list(issuing, [bob]));
    writeFileSync(folder.file('a.crl'), list(stranger));
    scheduler.pass();
    await expect.poll(() => agent.health().state).toBe('degraded');
    expect([await kindOf(alice), await kindOf(bob)]).toEqual(['allow', 'block']);
    rmSync(folder.file('a.crl'));
    scheduler.pass();
    await expect.poll(() => agent.health().message).toMatch(/it does not exist$/);
    expect([await kindOf(alice), await kindOf(bob)]).toEqual(['allow', 'block']);
    writeFileSync(folder.file('a.crl'), list(issuing, [alice]));
    scheduler.pass();
    await expect.poll(() => agent.health().state).toBe('healthy');
    expect([await kindOf(alice), await kindOf(bob)]).toEqual(['block', 'allow']);
  });

  it('stops looking at the files of a replaced configuration', async () => {
    const { agent, scheduler } = await started(list(issuing));
    expect(scheduler.size).toBe(1);
    expect((await agent.reload()).ok).toBe(true);
    await expect.poll(() => scheduler.size).toBe(1);
    await agent.stop();
    expect(scheduler.size).toBe(0);
  });
});
