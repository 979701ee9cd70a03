import swagger from '@fastify/swagger';
import { noBody } from '@kindred/contracts/fields';
import { webhookMessage } from '@kindred/contracts/resources/webhooks';
import { createJsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Api, HttpDeps } from '../deps.js';

declare module 'fastify' {
  interface FastifySchema {
    /**
     * The multipart form of an upload is for the description only, because the handler reads the stream
     * itself.
     */
    upload?: z.ZodType;
    /** The handler checks this JSON body itself, because the route takes a form as well. */
    uploadJson?: z.ZodType;
  }
}

const toJson = createJsonSchemaTransform({});

type JsonSchema = Record<string, unknown>;
interface Operation {
  parameters?: { name: string }[];
  requestBody?: { content: Record<string, { schema: JsonSchema }> };
  responses: Record<string, { headers?: Record<string, object> }>;
}
/** The description is completed afterwards in this part. */
type Paths = Record<string, Record<string, Operation>>;

function jsonSchemaOf(schema: z.ZodType): JsonSchema {
  const { $schema: _dialect, ...body } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return body;
}

/** These headers come with every answer of the status. */
const headersOf: Record<string, Record<string, object>> = {
  401: { 'WWW-Authenticate': { schema: { type: 'string' }, description: 'ApiKey, Bearer' } },
  429: { 'Retry-After': { schema: { type: 'integer' }, description: 'Seconds to wait' } },
};

/** Lists that are read page by page have these headers. */
const listHeaders = {
  'X-Total-Count': { schema: { type: 'integer' }, description: 'Rows of the whole list that you find' },
  'X-Total-Is-Exact': {
    schema: { type: 'string', enum: ['false'] },
    description: 'There are more: counting stops at 10,000. Absent where the total is exact',
  },
  Link: { schema: { type: 'string' }, description: 'The next page, rel="next"' },
};

/** The service sends these messages to addresses of users. */
const webhooks = {
  jobEnded: {
    post: {
      summary: 'A job has ended, or a test was requested',
      parameters: ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => ({
        name,
        in: 'header',
        required: true,
        schema: { type: 'string' },
      })),
      requestBody: {
        required: true,
        content: { 'application/json': { schema: jsonSchemaOf(webhookMessage) } },
      },
      responses: { '2XX': { description: 'Taken; after any other answer it is sent again' } },
    },
  },
};

export async function openApi(api: Api, { settings }: HttpDeps): Promise<void> {
  /** Some routes take a form as well; their JSON bodies are kept here by path. */
  const jsonBodies = new Map<string, JsonSchema>();
  await api.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Kindred API',
        version: settings.version,
        description:
          'Protein function annotation by nearest kin. Every path is also served without /v1 (deprecated). Refusals are problem documents (RFC 9457).',
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [{ url: settings.basePath || '/' }],
      components: {
        securitySchemes: {
          apiKey: {
            type: 'apiKey',
            in: 'header',
            name: 'Authorization',
            description: 'Authorization: ApiKey <key>',
          },
          apiKeyHeader: { type: 'apiKey', in: 'header', name: 'X-Api-Key' },
          bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
          session: { type: 'apiKey', in: 'cookie', name: 'svc_session' },
        },
      },
    },
    transform: (document) => {
      const { upload, uploadJson, body, ...others } = document.schema ?? {};
      // Some routes accept an empty body; the library would describe it as required.
      const schema = body === undefined || body === noBody ? others : { ...others, body };
      const result = toJson({ ...document, schema } as Parameters<typeof toJson>[0]);
      if (upload === undefined || result.schema === undefined) return result;
      if (uploadJson !== undefined) jsonBodies.set(document.url, jsonSchemaOf(uploadJson));
      return { ...result, schema: { ...result.schema, body: jsonSchemaOf(upload) } };
    },
    transformObject: (document) => {
      const description = jsonSchemaTransformObject(document) as {
        paths: Paths;
        components: { schemas: Record<string, object> };
      };
      const { paths } = description;
      for (const [path, schema] of jsonBodies) {
        const content = paths[path]?.post?.requestBody?.content;
        // A new object is needed, because the media types of a body share theirs.
        if (content !== undefined) content['application/json'] = { schema };
      }
      for (const { parameters, responses } of Object.values(paths).flatMap((methods) =>
        Object.values(methods),
      )) {
        const isList = parameters?.some(({ name }) => name === 'after') === true;
        if (isList && responses[200] !== undefined) responses[200].headers = listHeaders;
        for (const [status, headers] of Object.entries(headersOf)) {
          if (responses[status] !== undefined) responses[status].headers = headers;
        }
      }
      // The variant for requests is left out, because no request contains a problem document.
      const { ProblemInput: _unused, ...schemas } = description.components.schemas;
      return { ...description, webhooks, components: { ...description.components, schemas } } as never;
    },
  });
}
