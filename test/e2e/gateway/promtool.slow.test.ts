import { spawnSync } from 'node:child_process';
import { expect } from 'vitest';
import { repositoryRoot } from '../../support/shared/documentation-examples.js';
import { it } from '../../support/shared/fixtures.js';
import { freePort } from '../../support/shared/free-port.js';
import { startStack, untilTrue } from '../../support/shared/gateway-stack.js';
import { call } from '../../support/shared/http-call.js';
import { describeWithPeers, peerPath } from '../../support/shared/peers.js';
import { startRedis } from '../../support/shared/redis-server.js';
import { asAdmin, startWorkerStack, workersOf } from '../../support/shared/worker-stack.js';

/** What promtool says; empty where it has no complaint. */
const promtool = (args: readonly string[], input = ''): string => {
  const { status, stdout, stderr } = spawnSync(peerPath('promtool') ?? 'promtool', args, { input, encoding: 'utf8' });
  return status === 0 ? '' : `${stdout}${stderr}`;
};

describeWithPeers(['promtool'], 'promtool', () => {
  it('accepts the metrics of a gateway with workers and an agent', async ({ cleanUp }) => {
    const stack = await startWorkerStack(cleanUp, {
      transport: 'embedded',
      agentConfig: 'api-keys "key-1:alice"',
      blocks: 'limits { max-requests-per-second-per-client 1000 }',
    });
    await workersOf(stack);
    for (let count = 0; count < 20; count += 1) await stack.ask({ headers: { 'X-API-Key': 'key-1' } });
    const { body } = await asAdmin(stack, '/metrics');
    expect(body).toMatch(/^gateway_worker_event_loop_delay_seconds_count\{worker="2"[^}]*\} [1-9]\d*$/m);
    expect(body).toMatch(/^gateway_agent_auth_requests_total/m);
    expect(promtool(['check', 'metrics'], body)).toBe('');
  });

  it('accepts the metrics of a stand-alone agent', async ({ cleanUp }) => {
    const metricsPort = await freePort();
    const stack = await startStack(cleanUp, {
      transport: 'socket',
      agentArguments: ['--metrics-address', `127.0.0.1:${metricsPort}`],
      agentConfig: 'api-keys "key-1:alice"',
    });
    await untilTrue(
      'the agent serves',
      async () => (await stack.ask({ headers: { 'X-API-Key': 'key-1' } })).status === 200,
    );
    const { body } = await call(metricsPort, { path: '/metrics' });
    expect(body).toMatch(/^auth_requests_total/m);
    expect(promtool(['check', 'metrics'], body)).toBe('');
  });

  it('accepts the shipped alert rules', () => {
    expect(promtool(['check', 'rules', `${repositoryRoot}config/prometheus-alerts.yml`])).toBe('');
  });

  it('fires the alert after the rate-limit store is down for a minute, and resolves it', ({ folder }) => {
    const alertAt = (minutes: number, isRaised: boolean) => ({
      eval_time: `${minutes}m`,
      alertname: 'RateLimitStoreDown',
      exp_alerts: isRaised
        ? [
            {
              exp_labels: { severity: 'warning', instance: 'edge' },
              exp_annotations: {
                summary: 'edge: the rate-limit store is unavailable',
                description: 'on-store-failure decides about requests. The log has the cause.',
              },
            },
          ]
        : [],
    });
    // JSON is YAML.
    const cases = {
      rule_files: [`${repositoryRoot}config/prometheus-alerts.yml`],
      evaluation_interval: '30s',
      tests: [
        {
          interval: '30s',
          input_series: [{ series: 'gateway_rate_limit_store_up{instance="edge"}', values: '1x2 0x5 1x5' }],
          alert_rule_test: [alertAt(1, false), alertAt(2, false), alertAt(3, true), alertAt(6, false)],
        },
      ],
    };
    expect(promtool(['test', 'rules', folder.write('cases.yml', JSON.stringify(cases))])).toBe('');
  });
});

describeWithPeers(['promtool'], 'the alerts for certificates', () => {
  const name = 'gateway_certificate_expiry_timestamp_seconds';
  const labels = { instance: 'edge', use: 'upstream', name: 'api', subject: 'CN=me' };
  const description = 'Renew CN=me, or remove an authority that is no longer needed from its file.';
  const alert = (alertname: string, evalTime: string, severity: string, summary: string | null) => ({
    eval_time: evalTime,
    alertname,
    exp_alerts:
      summary === null ? [] : [{ exp_labels: { ...labels, severity }, exp_annotations: { summary, description } }],
  });
  const soon = (evalTime: string, left: string | null) =>
    alert(
      'CertificateExpiresSoon',
      evalTime,
      'warning',
      left === null ? null : `edge: a certificate of the upstream api expires in ${left}`,
    );
  const late = (evalTime: string, isRaised: boolean) =>
    alert(
      'CertificateExpires',
      evalTime,
      'critical',
      isRaised ? 'edge: a certificate of the upstream api has expired or expires within 3 days' : null,
    );

  it('fire 14 days and 3 days before the end, and after it until the certificate is renewed', ({ folder }) => {
    const hours = 3_600;
    const end = 20 * 24 * hours;
    const cases = {
      rule_files: [`${repositoryRoot}config/prometheus-alerts.yml`],
      evaluation_interval: '1h',
      tests: [
        {
          interval: '1h',
          // Renewed after 21 days: 504 hours.
          input_series: [
            {
              series: `${name}{instance="edge",use="upstream",name="api",subject="CN=me"}`,
              values: `${end}x503 ${end * 4}x100`,
            },
          ],
          alert_rule_test: [
            soon('144h', null),
            soon('145h', '13d 23h 0m 0s'),
            late('145h', false),
            soon('408h', '3d 0h 0m 0s'),
            late('408h', false),
            soon('409h', null),
            late('409h', true),
            late('490h', true),
            soon('505h', null),
            late('505h', false),
          ],
        },
      ],
    };
    expect(promtool(['test', 'rules', folder.write('certificates.yml', JSON.stringify(cases))])).toBe('');
  });
});

describeWithPeers(['redis-server'], 'gateway_rate_limit_store_up', () => {
  it('is 0 while Redis is down, even without requests', async ({ cleanUp }) => {
    const redis = await startRedis();
    cleanUp.add(redis.remove);
    const stack = await startStack(cleanUp, {
      blocks: `limits { max-requests-per-second-per-client 1000; rate-limit-store "redis"; rate-limit-store-url "${redis.url().reveal()}" }`,
    });
    const isUp = async (): Promise<string> => {
      const { body } = await call(stack.adminPort, { path: '/metrics' });
      return /^gateway_rate_limit_store_up\{[^}]*\} (\d)$/m.exec(body)?.[1] ?? 'absent';
    };
    expect(await isUp()).toBe('1');
    await redis.kill();
    await untilTrue('the metric is 0', async () => (await isUp()) === '0');
    await redis.start();
    await untilTrue('the metric is 1 again', async () => (await isUp()) === '1');
  });
});
