import type { Comparison, PreparedComparisons, Row } from '../checks/comparison.js';
import { officialEngine } from './official-engine.js';
import { ownEngine } from './own-engine.js';
import { type BenchRequest, type Decide, type PolicyScenario, scenarios } from './policies.js';

const counts = [3, 20, 100, 1_000, 10_000] as const;

const row = (name: string, describes: string, requests: readonly BenchRequest[], decide: Decide): Row => ({
  name,
  describes,
  check: {
    run: (index) => {
      const request = requests[index % requests.length] as BenchRequest;
      const decision = decide(request);
      if (decision !== request.decision) throw new Error(`${name}: ${decision} for ${request.principal}`);
    },
  },
});

const comparison = async (scenario: PolicyScenario, count: number): Promise<Comparison> => {
  const text = scenario.policies(count);
  const name = `${scenario.name} ${count}`;
  const { anew, remembered } = await ownEngine(text);
  return {
    name,
    describes: `${count} policies, ${scenario.describes}`,
    rows: [
      row('cedar-wasm', 'statefulIsAuthorized', scenario.requests, officialEngine(name, text)),
      row('Portcullis', 'the principal made anew', scenario.requests, anew),
      row('Portcullis, identity remembered', 'the principal made once', scenario.requests, remembered),
    ],
  };
};

/** Parses the policies of everything that is compared. */
export const prepareComparisons = async (): Promise<PreparedComparisons> => {
  const comparisons: Comparison[] = [];
  for (const scenario of scenarios) {
    for (const count of counts) comparisons.push(await comparison(scenario, count));
  }
  return { comparisons, stop: async () => undefined };
};
