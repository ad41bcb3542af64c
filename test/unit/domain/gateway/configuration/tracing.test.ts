import { describe, expect, it } from 'vitest';
import { configurationText } from '../../../../support/shared/configuration-text.js';
import { problemsOf, soundConfiguration } from '../../../../support/shared/decoded-configuration.js';

const endpoint = 'endpoint "http://127.0.0.1:4318/v1/traces"';
const withTracing = (body: string): string => configurationText({ more: `tracing { ${body} }` });

describe('tracing', () => {
  it('has defaults except for the endpoint', () => {
    expect(soundConfiguration(withTracing(endpoint)).tracing).toEqual({
      endpoint: 'http://127.0.0.1:4318/v1/traces',
      sampleRatio: 0.1,
      serviceName: 'portcullis-gateway',
      headers: [],
    });
  });

  it('is what was written', () => {
    const tracing = soundConfiguration(
      withTracing(`endpoint "https://otel.example/v1/traces?tenant=a"; sample-ratio 1; service-name "edge eu"
        collector-header "Authorization" "Bearer S3CRET"; collector-header "X-Scope" "a"`),
    ).tracing;
    expect(tracing).toMatchObject({
      endpoint: 'https://otel.example/v1/traces?tenant=a',
      sampleRatio: 1,
      serviceName: 'edge eu',
    });
    expect(tracing?.headers.map(({ name, value }) => [name, value.reveal()])).toEqual([
      ['Authorization', 'Bearer S3CRET'],
      ['X-Scope', 'a'],
    ]);
    expect(JSON.stringify(tracing)).not.toContain('S3CRET');
  });

  it.each([
    ['sample-ratio 1', 'error: "endpoint" is missing'],
    ['endpoint "otel:4318"', 'error: "endpoint" must be a URL that begins with http:// or https://'],
    ['endpoint "grpc://otel:4317"', 'error: "endpoint" must be a URL that begins with http:// or https://'],
    ['endpoint "https://otel/v1 traces"', 'error: "endpoint" must be a URL that begins with http:// or https://'],
    ['endpoint "https://u:p@otel/v1/traces"', 'error: "endpoint" must not contain a user name or a password'],
    ['endpoint "https://otel/v1/traces#x"', 'error: "endpoint" must not contain a fragment'],
    ['endpoint "https:///v1/traces"', 'error: "endpoint" has no valid host'],
    ['endpoint "https://otel:70000/v1/traces"', 'error: "endpoint" has no valid host'],
    ['endpoint "http://otel.example/v1/traces"', 'warning: "endpoint" is not https: anyone on the path can read'],
    [
      'endpoint "https://otel.example:4318"',
      'warning: "endpoint" has no path: collectors accept spans at /v1/traces (write endpoint "https://otel.example:4318/v1/traces")',
    ],
    [`${endpoint}; sample-ratio 1.1`, 'error: "sample-ratio" must be a number from 0 to 1, not 1.1'],
    [`${endpoint}; sample-ratio -0.1`, 'error: "sample-ratio" must be a number from 0 to 1'],
    [`${endpoint}; service-name "a\\nb"`, 'error: "service-name" must be printable ASCII'],
    [`${endpoint}; samle-ratio 1`, 'did you mean "sample-ratio"?'],
    [`${endpoint}; collector-header "A"`, 'error: "collector-header" needs a name and a value'],
    [`${endpoint}; collector-header "A" "b" "c"`, 'error: "collector-header" needs a name and a value'],
    [`${endpoint}; collector-header "A B" "c"`, 'error: "collector-header" must have a header name'],
    [`${endpoint}; collector-header "A" "b\\r\\nC: d"`, 'error: "collector-header" must have a valid header value'],
    [`${endpoint}; collector-header "Content-Length" "0"`, 'error: "collector-header" cannot be Content-Length'],
    [`${endpoint}; collector-header "A" { b "c" }`, 'error: "collector-header" takes a value, not a block'],
    [
      `${endpoint}; collector-header "A" "b"; collector-header "a" "c"`,
      'error: "collector-header": the header a occurs twice',
    ],
    ['', 'error: "endpoint" is missing'],
  ])('is checked: %s', (body, message) => {
    const [problem, ...others] = problemsOf(withTracing(body));
    expect(problem).toContain(message);
    expect(others).toEqual([]);
  });

  it('hides header values in messages', () => {
    for (const header of ['"A" "S3CRET\\n"', '"A" "S3CRET" "S3CRET"', '"A B" "S3CRET"', '"A" x="S3CRET"']) {
      const problems = problemsOf(withTracing(`${endpoint}; collector-header ${header}`));
      expect(problems).toHaveLength(1);
      expect(problems[0]).not.toContain('S3CRET');
    }
  });
});
