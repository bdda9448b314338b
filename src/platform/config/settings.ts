export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Descriptions and default values, in the order of the guide; printed in `config print --help` and src/docs/reference/settings.md. */
const TABLE: Readonly<Record<string, readonly [description: string, defaultValue?: string]>> = {
  DATABASE_URL: [
    'file:PATH of a SQLite file, or postgres://USER:PASSWORD@HOST:PORT/NAME',
    'file:data/gateway.db',
  ],
  DATABASE_PASSWORD_FILE: ['file of the password of PostgreSQL, for a DATABASE_URL without one'],
  DATABASE_CONNECTIONS: ['most connections of this node to PostgreSQL; 8 or more', '20'],
  UPLOAD_FOLDER: [
    'folder of temporary files of uploads with PostgreSQL; with SQLite they are beside the file',
    'data',
  ],
  HOST: ['address to listen on', '127.0.0.1'],
  PORT: ['port to listen on; 0 chooses a free one', '4000'],
  RATE_LIMIT_PER_HOUR: [
    'requests per hour and client address (IPv6: per /64), or user of sessions; 0 means no limit',
    '3600',
  ],
  TRUST_PROXY: [
    'addresses or networks of trusted proxies, comma-separated; only their X-Forwarded-For, -Host and -Proto are used',
  ],
  ALLOWED_ORIGINS: [
    'origins whose pages may use the server besides its own, comma-separated: https://dash.example',
  ],
  LOG_LEVEL: [LOG_LEVELS.join(', '), 'info'],
  TRACES_URL: [
    'address that traces are sent to (OTLP over HTTP, JSON): http://127.0.0.1:4318/v1/traces; empty: no traces',
  ],
  TRACES_SHARE: ['share of the traces that are recorded, 0 to 1', '0.1'],
  NOTIFICATIONS_PER_SECOND: [
    'notifications that this node hands out to terminals a second, so that a fleet does not answer at once',
    '500',
  ],
  MAX_FILE_BYTES: ['size of the largest file or bytecode that can be uploaded, in bytes', '33554432'],
  MAX_WAL_BYTES: [
    'size of the write-ahead log of SQLite, in bytes, from which on /readyz is 503',
    '1073741824',
  ],
  PRESENCE_STALE_AFTER: ['time without a request after which a terminal is STALE: 30s, 15m, 24h, 2d', '15m'],
  PRESENCE_OFFLINE_AFTER: [
    'time without a request after which a terminal is OFFLINE; greater than PRESENCE_STALE_AFTER',
    '24h',
  ],
  TLS_CERT_FILE: [
    'file of the certificate chain (PEM); with TLS_KEY_FILE it turns on HTTPS; reread on SIGHUP',
  ],
  TLS_KEY_FILE: ['file of the private key (PEM); reread on SIGHUP'],
  TOKEN_SECRET: [
    'secret that API tokens are derived from, at least 32 characters; with PostgreSQL it must be set, the same on all nodes; with SQLite the first start makes one',
  ],
  TOKEN_SECRET_FILE: ['file that holds TOKEN_SECRET, readable by its owner only'],
  LEDGER_CHAIN: ['1 gives ledger entries hashes, which `audit verify` checks; set it for commands too', '0'],
  KEEP_TRANSACTIONS: ['how long transactions are kept, from their recording on: 24 months', 'forever'],
  KEEP_LEDGER: ['how long ledger entries are kept: 13 months, 400 days, forever', '13 months'],
  KEEP_DELIVERIES: ['how long finished deliveries of notifications are kept, from their end on', '90 days'],
  KEEP_LOGS: ['how long logs that terminals sent are kept, from their arrival on', '30 days'],
  PUBLIC_URL: ['address of this server for browsers, for links in e-mails: https://gateway.example'],
  SMTP_URL: [
    'server that sends e-mails: smtps://USER:PASSWORD@HOST; needs PUBLIC_URL; empty: no e-mails, links are shown only',
  ],
  MAIL_FROM: ['address that e-mails come from; by default terminal-gateway@ the host of PUBLIC_URL'],
  WEBHOOK_NETWORKS: [
    'addresses or networks that webhooks may be sent to besides public addresses, comma-separated: 10.0.0.0/8',
  ],
  GRAPHQL_DEVELOPMENT: [
    '1 allows introspection and suggestions in errors, and serves the GraphiQL page at /graphql',
    '0',
  ],
  GRAPHQL_PLANS: [
    '0 lets resolvers execute every query, without plans of SQL: slower, with the same responses',
    '1',
  ],
  GRAPHQL_ALLOW_LIST: [
    'JSON file of the only GraphQL documents that may run: a list, an object by SHA-256 or SHA-1, or a manifest of Apollo',
  ],
  MQTT_URL: [
    'broker that notifications are published to: mqtts://broker.example:8883, or mqtt:// without TLS',
  ],
  MQTT_USERNAME: ['user name of the server at the broker'],
  MQTT_PASSWORD_FILE: ['file of the password of MQTT_USERNAME'],
  MQTT_CA_FILE: ['file of the certificates (PEM) to trust for mqtts://, instead of the public ones of Node'],
};

export const SETTINGS = Object.entries(TABLE).map(([name, [description, defaultValue = '']]) => ({
  name,
  description,
  defaultValue,
}));
