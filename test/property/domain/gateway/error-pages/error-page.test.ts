import fc from 'fast-check';
import { expect, it } from 'vitest';
import { errorPage, escapeHtml, parseErrorPage } from '../../../../../src/domain/gateway/error-pages/error-page.js';

const text = fc.string({ unit: 'binary' });

it('no value adds markup to a page, its own or a template', () => {
  const template = parseErrorPage('<a title={title} id="{detail}">{correlation_id}</a>');
  const marks = (html: string): number => html.replaceAll(/[^<>"'`=]/g, '').length;
  const plain = { status: 404, title: '', detail: '', correlationId: '' };
  fc.assert(
    fc.property(text, text, text, (title, detail, correlationId) => {
      const content = { status: 404, title, detail, correlationId };
      for (const page of [null, template.ok ? template.value : null]) {
        expect(marks(errorPage(page, content))).toBe(marks(errorPage(page, plain)));
      }
    }),
  );
});

it('an escaped text is the same text for a reader of HTML', () => {
  const entities: Readonly<Record<string, string>> = {
    '&amp;': '&',
    '&lt;': '<',
    '&gt;': '>',
    '&quot;': '"',
    '&#39;': "'",
    '&#96;': '`',
    '&#61;': '=',
  };
  fc.assert(
    fc.property(text, (any) => {
      const read = escapeHtml(any).replaceAll(/&[a-z#0-9]+;/g, (entity) => entities[entity] ?? '');
      expect(read).toBe(any.replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, ' '));
    }),
  );
});
