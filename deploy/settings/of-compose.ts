/** What docker-compose.yml itself can be told, beside what it hands to services. */
import { z } from 'zod';

const port = (what: string, usual: number) =>
  z
    .string()
    .default(`${usual}`)
    .meta({ description: `Port of this machine for ${what}.` });
const image = (what: string) =>
  z
    .string()
    .optional()
    .meta({ description: `Another image of ${what}, for example of a registry of your own.` });

export const composeSettings = z.object({
  COMPOSE_PROFILES: z.string().optional().meta({
    description:
      'What runs beside the services and stores, separated by commas: simulators (card provider, central bank, mail server, sign-in of staff), console (of the platform team), observability (OpenTelemetry collector, Jaeger, Prometheus, Grafana).',
    example: 'simulators,console,observability',
  }),
  BIND_ADDRESS: z.string().default('127.0.0.1').meta({
    description:
      'Address of this machine under which gateway, billing and offers are reached. Another one only where a proxy on another machine must reach them: /internal is there too.',
  }),
  GATEWAY_PORT: port('the gateway', 8080),
  BILLING_PORT: port('billing', 8081),
  OFFERS_PORT: port('offers', 8082),
  GATEWAY_ADMIN_PORT: port("the gateway's admin routes and metrics, on 127.0.0.1 alone", 9080),
  BILLING_ADMIN_PORT: port("billing's admin routes and metrics, on 127.0.0.1 alone", 9081),
  OFFERS_ADMIN_PORT: port("offers' admin routes and metrics, on 127.0.0.1 alone", 9082),
  PRICING_ADMIN_PORT: port(
    "pricing's admin routes and metrics, on 127.0.0.1 alone: members are imported there",
    9083,
  ),
  CONSOLE_PORT: port("the staff's console, on 127.0.0.1 alone", 8084),
  RABBITMQ_MANAGEMENT_PORT: port("RabbitMQ's pages, on 127.0.0.1 alone", 15_672),
  STRIPE_SIMULATOR_PORT: port('the simulated payment page, on 127.0.0.1 alone', 12_111),
  MAIL_SIMULATOR_PORT: port('the simulated mailbox, on 127.0.0.1 alone', 8025),
  IDENTITY_SIMULATOR_PORT: port('the simulated sign-in of staff, on 127.0.0.1 alone', 8070),
  JAEGER_PORT: port("Jaeger's pages, on 127.0.0.1 alone", 16_686),
  PROMETHEUS_PORT: port("Prometheus' pages, on 127.0.0.1 alone", 9090),
  GRAFANA_PORT: port("Grafana's pages, on 127.0.0.1 alone", 3000),
  IMAGE_PREFIX: z.string().default('offer-ads').meta({
    description: 'What the names of our own images begin with: `npm run images -- --prefix`.',
    example: 'registry.example/offer-ads',
  }),
  IMAGE_TAG: z.string().default('dev').meta({ description: 'Their tag: `npm run images -- --tag`.' }),
  NODE_IMAGE: z.string().optional().meta({
    description: 'What they are built with: any image with Node 24, npm and a shell.',
    example: 'registry.example/node:24-bookworm-slim',
  }),
  PYTHON_IMAGE: z.string().optional().meta({
    description: 'What packs the Python client: any image with Python from 3.11 on, pip and venv.',
    example: 'registry.example/python:3.13-slim-bookworm',
  }),
  RUNTIME_IMAGE: z.string().optional().meta({
    description: 'What they stand on: any image with glibc and libstdc++.',
    example: 'registry.example/debian:bookworm-slim',
  }),
  POSTGRES_IMAGE: image('Postgres'),
  MONGO_IMAGE: image('MongoDB'),
  RABBITMQ_IMAGE: image('RabbitMQ with its management plugin'),
  VALKEY_IMAGE: image('Valkey'),
  OTEL_COLLECTOR_IMAGE: image('the OpenTelemetry collector'),
  JAEGER_IMAGE: image('Jaeger'),
  PROMETHEUS_IMAGE: image('Prometheus'),
  GRAFANA_IMAGE: image('Grafana'),
});
