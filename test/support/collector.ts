import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

/** A span as a collector receives it. */
export interface ReceivedSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly kind: number;
  /** 2 is an error. */
  readonly status: { readonly code?: number; readonly message?: string };
  readonly attributes: Readonly<Record<string, unknown>>;
}

interface Value {
  readonly stringValue?: string;
  readonly intValue?: number | string;
  readonly boolValue?: boolean;
}
type Attributes = readonly { readonly key: string; readonly value: Value }[];
type SentSpan = Omit<ReceivedSpan, 'attributes'> & { readonly attributes: Attributes };

export type Collector = Awaited<ReturnType<typeof startCollector>>;

/** Receives traces (OTLP over HTTP), until the test ends. */
export async function startCollector() {
  const bodies: string[] = [];
  const server: Server = createServer((request, response) => {
    void text(request).then((body) => {
      bodies.push(body);
      response.setHeader('content-type', 'application/json').end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  /** `bodies` has those of all requests, as text. */
  return { url: `http://127.0.0.1:${port}/v1/traces`, bodies, spans: () => bodies.flatMap(spansIn) };
}

function spansIn(body: string): ReceivedSpan[] {
  const { resourceSpans } = JSON.parse(body) as {
    resourceSpans: { scopeSpans: { spans: SentSpan[] }[] }[];
  };
  const spans = resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans));
  return spans.map((span) => ({
    ...span,
    attributes: Object.fromEntries(span.attributes.map(({ key, value }) => [key, plain(value)])),
  }));
}

function plain({ stringValue, intValue, boolValue }: Value): unknown {
  return intValue === undefined ? (stringValue ?? boolValue) : Number(intValue);
}
