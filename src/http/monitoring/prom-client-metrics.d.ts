/** The metrics that `collectDefaultMetrics` collects, one by one; prom-client has no types for them. */
declare module 'prom-client/lib/metrics/*.js' {
  import type { DefaultMetricsCollectorConfiguration, PrometheusContentType, Registry } from 'prom-client';

  export default function add(
    register: Registry,
    options: DefaultMetricsCollectorConfiguration<PrometheusContentType>,
  ): void;
}
