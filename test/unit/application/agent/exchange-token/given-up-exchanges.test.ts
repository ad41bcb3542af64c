import { describe, expect, it } from 'vitest';
import { CancellationSource } from '../../../../../src/application/shared/cancellation/cancellation-source.js';
import { actorFields, ExchangeWorld, samlFields, seen } from '../../../../support/agent/fake-token-exchange.js';

const steps = ['authenticate', 'verify subject', 'verify actor', 'remember', 'sign'] as const;
const fields = { ...samlFields, ...actorFields };

describe.each(steps)('an exchange cancelled at the step: %s', (last) => {
  it('issues nothing and stops', async () => {
    const world = new ExchangeWorld({ hasClient: true });
    const cancellation = new CancellationSource();
    const taken: string[] = [];
    world.before = (step) => {
      taken.push(step);
      if (step === last) cancellation.cancel();
    };
    const { status, body } = seen(await world.exchangeAsClient(fields, cancellation));
    expect(status).toBe(503);
    expect(body).not.toHaveProperty('access_token');
    expect(world.results).toEqual(['cancelled']);
    expect(taken).toEqual(steps.slice(0, steps.indexOf(last) + 1));
  });
});

describe.each(steps)('an unexpected failure of the step: %s', (last) => {
  it('fails the exchange and reveals nothing', async () => {
    const world = new ExchangeWorld({ hasClient: true });
    world.before = (step) => {
      if (step === last) throw new TypeError('with the-token-of-ann in its text');
    };
    const { status, body } = seen(await world.exchangeAsClient(fields));
    expect({ status, error: body['error'] }).toEqual({ status: 500, error: 'server_error' });
    expect(world.results).toEqual(['signing_failed']);
    expect(world.logger.lines[0]?.fields['detail']).toBe('TypeError');
    expect(JSON.stringify(world.logger.lines)).not.toContain('the-token-of-ann');
  });
});

it('an exchange runs its steps in this order', async () => {
  const world = new ExchangeWorld({ hasClient: true });
  const taken: string[] = [];
  world.before = (step) => void taken.push(step);
  expect(seen(await world.exchangeAsClient(fields)).status).toBe(200);
  expect(taken).toEqual(steps);
});

it('an actor token is not verified if the subject token is invalid', async () => {
  const world = new ExchangeWorld();
  const taken: string[] = [];
  world.before = (step) => void taken.push(step);
  await world.exchange({ ...actorFields, subject_token: 'a-forged-token' });
  expect(taken).toEqual(['verify subject']);
});
