import { describe, expect, it } from 'vitest';
import {
  type CorpusReport,
  type CorpusResult,
  runPolicyCorpus,
} from '../../../../../src/application/agent/policy-tools/run-policy-corpus.js';
import type { CorpusFiles } from '../../../../../src/application/ports/agent/policy-files.js';
import { err, ok } from '../../../../../src/domain/shared/result.js';
import { corpusInMemory } from '../../../../support/agent/policy-corpus-files.js';

/** Keeps what a run of a corpus says. */
class RecordedReport implements CorpusReport {
  readonly lines: CorpusResult[] = [];
  readonly complaints: string[] = [];
  readonly remarks: string[] = [];

  async line(line: CorpusResult): Promise<void> {
    this.lines.push(line);
  }

  complaint(text: string): void {
    this.complaints.push(text);
  }

  remark(text: string): void {
    this.remarks.push(text);
  }

  progress(): void {
    // Nobody watches.
  }
}

const policies = `
  permit(principal == User::"alice", action, resource);
  forbid(principal, action, resource) when { context.locked };
  permit(principal in Group::"staff", action, resource);
`;
const entities = JSON.stringify([
  { uid: { type: 'User', id: 'alice' }, attrs: {}, parents: [{ type: 'Group', id: 'staff' }] },
]);
const request = (user: string, context: unknown, expected: object = {}): object => ({
  principal: { type: 'User', id: user },
  action: { type: 'Action', id: 'view' },
  resource: { type: 'Photo', id: 'p' },
  context,
  ...expected,
});
const requests = [request('alice', { locked: false }), request('alice', { locked: true }), request('bob', {})];
const caseText = (more: object = {}): string =>
  JSON.stringify({ policies: 'tests/p.cedar', entities: 'data/entities.json', requests, ...more });

const corpus = (cases: Record<string, string>, others: Record<string, string> = {}): CorpusFiles =>
  corpusInMemory(
    new Map(Object.entries({ 'tests/p.cedar': policies, 'data/entities.json': entities, ...others, ...cases })),
  );

const run = async (files: CorpusFiles): Promise<{ totals: unknown } & RecordedReport> => {
  const report = new RecordedReport();
  return Object.assign(report, { totals: await runPolicyCorpus(files, report) });
};

const decided = [
  { request: 0, decision: 'allow', reason: ['policy0', 'policy2'], errors: [] },
  { request: 1, decision: 'deny', reason: ['policy1'], errors: [] },
  { request: 2, decision: 'deny', reason: [], errors: ['policy1'] },
];

describe('runPolicyCorpus', () => {
  it('reports the decision of every request', async () => {
    const { lines, complaints, totals } = await run(corpus({ 'tests/1.json': caseText() }));
    expect(lines).toEqual(decided.map((line) => ({ case: 'tests/1', ...line })));
    expect(complaints).toEqual([]);
    expect(totals).toEqual(ok({ cases: 1, failed: 0 }));
  });

  it('runs the cases in name order and ignores other files', async () => {
    const { lines, totals } = await run(
      corpus(
        { 'b.json': caseText(), 'a/2.json': caseText(), 'a/10.json': caseText() },
        {
          'schema.json': '{"": {"entityTypes": {}, "actions": {}}}',
          'notes.json': '{not json at all',
          'list.json': '[1, 2',
        },
      ),
    );
    expect(lines.filter(({ case: name }) => name !== 'b').length).toBe(6);
    expect([...new Set(lines.map((line) => line.case))]).toEqual(['a/10', 'a/2', 'b']);
    expect(totals).toEqual(ok({ cases: 3, failed: 0 }));
  });

  it('never reads the expected result of a case', async () => {
    const expectations = [
      {},
      { decision: 'allow', reason: [], errors: [] },
      { decision: 'deny', reason: ['policy0'], errors: ['policy1'] },
      { decision: 1.5, reason: null, errors: { __expr: 'x' } },
    ];
    const runs = await Promise.all(
      expectations.map((expected) => {
        const judged = [
          request('alice', { locked: false }, expected),
          request('alice', { locked: true }, expected),
          request('bob', {}, expected),
        ];
        return run(corpus({ 'tests/1.json': caseText({ requests: judged, shouldValidate: expected }) }));
      }),
    );
    for (const { lines, complaints } of runs) {
      expect(lines).toEqual(decided.map((line) => ({ case: 'tests/1', ...line })));
      expect(complaints).toEqual([]);
    }
  });

  it('uses the dialect of the specification, without the extensions', async () => {
    const text = 'permit(principal, action, resource) when { "abc".startsWith("a") };';
    const { lines, totals } = await run(corpus({ '1.json': caseText() }, { 'tests/p.cedar': text }));
    expect(lines.every((line) => 'error' in line)).toBe(true);
    expect(totals).toEqual(ok({ cases: 1, failed: 1 }));
  });

  it("reads values by the types of the case's schema, and knows its actions", async () => {
    const files = {
      'p.cedar':
        'permit(principal, action in Action::"look", resource) when { resource.owner == principal && context.score.lessThan(decimal("0.5")) };',
      'e.json': JSON.stringify([
        { uid: { type: 'Photo', id: 'p' }, attrs: { owner: { type: 'User', id: 'alice' } }, parents: [] },
      ]),
      's.cedarschema': `entity User; entity Photo = { owner: User };
        action look; action view in look appliesTo { principal: User, resource: Photo, context: { score: decimal } };`,
    };
    const owner = request('alice', { score: '0.4' });
    const more = { policies: 'p.cedar', entities: 'e.json', requests: [owner, request('bob', { score: '0.4' })] };
    const { lines, remarks } = await run(corpus({ '1.json': caseText({ ...more, schema: 's.cedarschema' }) }, files));
    expect(lines).toEqual([
      { case: '1', request: 0, decision: 'allow', reason: ['policy0'], errors: [] },
      { case: '1', request: 1, decision: 'deny', reason: [], errors: [] },
    ]);
    expect(remarks).toEqual([]);
  });

  it.each([
    ['is nowhere', 'none.cedarschema', 'none.cedarschema (schema) was not found'],
    ['cannot be read', 'bad.cedarschema', 'bad.cedarschema: line 2, column 3: expected a declaration'],
  ])('remarks on a schema that %s, and ignores it', async (_, schema, why) => {
    const { lines, remarks, totals } = await run(
      corpus({ '1.json': caseText({ schema }) }, { 'bad.cedarschema': policies }),
    );
    expect(lines).toEqual(decided.map((line) => ({ case: '1', ...line })));
    expect(remarks).toEqual([`1: read without its schema: ${why}`]);
    expect(totals).toEqual(ok({ cases: 1, failed: 0 }));
  });

  it('keeps integers exact', async () => {
    const text = 'permit(principal, action, resource) when { context.n == 9007199254740993 };';
    const one = JSON.stringify(requests[0]).replace('{"locked":false}', '{"n":9007199254740993}');
    const other = one.replace('9007199254740993', '9007199254740992');
    const file = `{"policies":"p.cedar","entities":"data/entities.json","requests":[${one},${other}]}`;
    const { lines } = await run(corpus({ '1.json': file }, { 'p.cedar': text }));
    expect(lines.map((line) => 'decision' in line && line.decision)).toEqual(['allow', 'deny']);
  });

  it.each([
    ['policies that are nowhere', { policies: 'tests/none.cedar' }, 'tests/none.cedar (policies) was not found'],
    ['policies that are no path', { policies: { a: 1 } }, '"policies" is the path of a file, not an object'],
    [
      'policies of another kind of file',
      { policies: 'etc/passwd' },
      /^"policies" is the path of a file \*\.cedar, not etc/,
    ],
    [
      'a schema of another kind of file',
      { schema: 'etc/passwd' },
      /^"schema" is the path of a file \*\.cedarschema or/,
    ],
    ['policies that do not parse', { policies: 'bad.cedar' }, /^bad\.cedar:2:9: /],
    [
      'entities that are broken',
      { entities: 'bad.json' },
      'bad.json: User::"a": attribute "x": null is not a value of Cedar',
    ],
    ['entities that are no JSON', { entities: 'none.json' }, /^none\.json: line 1, column 1: /],
  ])('reports %s for each request, and runs the other cases', async (_, broken, error) => {
    const { lines, complaints, totals } = await run(
      corpus(
        { '1.json': caseText(broken), '2.json': caseText() },
        {
          'etc/passwd': 'root:x:0:0',
          'bad.cedar': '\npermit ()',
          'none.json': 'none of it',
          'bad.json': '[{"uid": {"type": "User", "id": "a"}, "attrs": {"x": null}, "parents": []}]',
        },
      ),
    );
    expect(lines.slice(3)).toEqual(decided.map((line) => ({ case: '2', ...line })));
    expect(lines.slice(0, 3).map((line) => 'request' in line && line.request)).toEqual([0, 1, 2]);
    for (const line of lines.slice(0, 3)) expect('error' in line && line.error).toMatch(error);
    expect(complaints.length).toBe(1);
    expect(complaints[0]).toMatch(/^1: /);
    expect(totals).toEqual(ok({ cases: 2, failed: 1 }));
  });

  it('reports a request that cannot be read, and evaluates the others', async () => {
    const broken = [requests[0], request('alice', []), { ...requests[0], action: 'Action::"view"' }, 7];
    const { lines, complaints, totals } = await run(corpus({ '1.json': caseText({ requests: broken }) }));
    expect(lines.map((line) => ('error' in line ? line.error : line.decision))).toEqual([
      'allow',
      'the context must be a JSON object, not an array',
      'action: an entity must be {"type": ..., "id": ...}, not a string',
      'a request is an object, not a number',
    ]);
    expect(complaints[0]).toBe('1: request 1: the context must be a JSON object, not an array');
    expect(totals).toEqual(ok({ cases: 1, failed: 1 }));
  });

  it('reports a case that is not JSON, or whose requests are not an array', async () => {
    const { lines, totals } = await run(
      corpus({ '1.json': caseText().slice(0, -1), '2.json': caseText({ requests: {} }), '3.json': caseText() }),
    );
    expect(lines.slice(0, 2)).toEqual([
      { case: '1', error: expect.stringMatching(/^line 1, column \d+: expected "," or "}"$/) },
      { case: '2', error: '"requests" is an array, not an object' },
    ]);
    expect(totals).toEqual(ok({ cases: 3, failed: 2 }));
  });

  it('names each link to a folder, and remarks if there is nothing else', async () => {
    const linked = (files: CorpusFiles): CorpusFiles => ({
      ...files,
      list: async () => {
        const listed = await files.list();
        return listed.ok ? ok({ files: listed.value.files, linkedFolders: ['b', 'a'] }) : listed;
      },
    });
    const { remarks, totals } = await run(linked(corpus({ '1.json': caseText() })));
    expect(remarks).toEqual(['a', 'b'].map((name) => `${name} is a link to a folder, which is not followed`));
    expect(totals).toEqual(ok({ cases: 1, failed: 0 }));
    expect((await run(linked(corpusInMemory(new Map())))).totals).toEqual(
      err(expect.stringContaining('save behind links to folders')),
    );
  });

  it('quotes only a little of an invalid text', async () => {
    const digits = '9'.repeat(3_000_000);
    const attributes = `{"${'k'.repeat(100_000)}":[${digits}]}`;
    const entityOf = (uid: object, attrs: string): string =>
      `[{"uid":${JSON.stringify(uid)},"attrs":${attrs},"parents":[]}]`;
    const longUid = { type: 'T'.repeat(100_000), id: 'i'.repeat(100_000) };
    const { lines, complaints } = await run(
      corpus(
        Object.fromEntries(
          ['a', 'b', 'c', 'd', 'e'].map((name) => [`${name}.json`, caseText({ entities: `data/${name}.json` })]),
        ),
        {
          'data/a.json': entityOf({ type: 'U', id: 'a' }, attributes),
          'data/b.json': entityOf(longUid, '{"a":null}'),
          'data/c.json': entityOf({ ...longUid, type: ' '.repeat(100_000) }, '{}'),
          'data/d.json': `{"${'k'.repeat(100_000)}": {"${'k'.repeat(100_000)}": 1, "${'k'.repeat(100_000)}": 2}}`,
          'data/e.json': entityOf({ type: 'U', id: 'a' }, `{"x":{"__extn":{"fn":"${'f'.repeat(100_000)}","arg":1}}}`),
        },
      ),
    );
    expect(complaints.length).toBe(5);
    for (const complaint of complaints) expect(complaint.length).toBeLessThan(600);
    for (const line of lines) expect(JSON.stringify(line).length).toBeLessThan(600);
  });

  it('treats a folder without cases, or an unreadable one, as a mistake', async () => {
    expect((await run(corpus({}))).totals).toEqual(
      err('has no test case: no *.json with "policies", "entities" and "requests"'),
    );
    const missing: CorpusFiles = { ...corpus({}), list: async () => err('does not exist') };
    expect((await run(missing)).totals).toEqual(err('does not exist'));
  });
});
