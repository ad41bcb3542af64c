import type { ProblemReport } from '../../configuration/schema/problem-report.js';
import { hasNoContent } from '../route-transforms/fixed-response.js';
import type { ReadRoute } from './read-gateway.js';

/** Checks the keys of a block `respond` against each other. */
export const checkFixedResponse = (route: ReadRoute, report: ProblemReport): void => {
  const fields = route.fields.respond.value;
  if (fields === null) return;
  const { status: code, 'content-type': type, body, 'body-file': file } = fields;
  const path = ['routes', `route "${route.name.value}"`, 'respond'];
  const content = [body, file].find(({ given, value }) => given && value !== null);
  if (body.given && body.value !== null && file.given && file.value !== null) {
    report.add('"body" and "body-file" exclude each other', {
      position: file.position,
      path,
      suggestion: 'keep one of them',
    });
  } else if (content !== undefined && code.sound && hasNoContent(code.value)) {
    report.add(`a response with status ${code.value} has no body`, {
      position: content.position,
      path,
      suggestion: 'delete the body, or write status 200',
    });
  } else if (content === undefined && type.given && type.value !== null) {
    report.add('"content-type" has no effect without a body', {
      position: type.position,
      path,
      suggestion: 'write body "..." or body-file "/path"',
    });
  }
};
