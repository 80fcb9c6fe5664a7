{{- if ne .Values.install "stores" }}
# `helm test`: the gateway estimates a price. The pod has a network of its own: DNS and the gateway.
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  name: chart-test
  namespace: {{ .Release.Namespace }}
  annotations:
    helm.sh/hook: test
    helm.sh/hook-weight: "-1"
    helm.sh/hook-delete-policy: before-hook-creation
spec:
  podSelector:
    matchLabels: { app.kubernetes.io/name: chart-test }
  policyTypes: [Egress]
  egress:
    - to:
        - podSelector:
            matchLabels: { app.kubernetes.io/name: gateway }
      ports:
        - port: 8080
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  name: chart-test-to-gateway
  namespace: {{ .Release.Namespace }}
  annotations:
    helm.sh/hook: test
    helm.sh/hook-weight: "-1"
    helm.sh/hook-delete-policy: before-hook-creation
spec:
  podSelector:
    matchLabels: { app.kubernetes.io/name: gateway }
  policyTypes: [Ingress]
  ingress:
    - from:
        - podSelector:
            matchLabels: { app.kubernetes.io/name: chart-test }
      ports:
        - port: 8080
---
apiVersion: v1
kind: Pod
metadata:
  name: chart-test
  namespace: {{ .Release.Namespace }}
  labels:
    app.kubernetes.io/name: chart-test
    app.kubernetes.io/part-of: offer-ads
  annotations:
    helm.sh/hook: test
    helm.sh/hook-delete-policy: before-hook-creation
spec:
  restartPolicy: Never
  automountServiceAccountToken: false
  enableServiceLinks: false
  activeDeadlineSeconds: 120
  securityContext:
    runAsNonRoot: true
    runAsUser: 1000
    runAsGroup: 1000
    seccompProfile:
      type: RuntimeDefault
  containers:
    - name: test
      image: {{ include "image" (list . "gateway") }}
      command:
        - node
        - --input-type=module
        - --eval
        - |
          const day = 86_400_000;
          const body = JSON.stringify({
            location: [51.51, -0.13], radius: 10,
            start_datetime: new Date(Date.now() + day).toISOString(), end_datetime: new Date(Date.now() + 2 * day).toISOString(),
          });
          // As from the ingress: otherwise the gateway refuses a key that was sent in clear.
          const headers = { 'content-type': 'application/json', 'x-api-key': process.env.API_KEY, 'x-forwarded-proto': 'https' };
          // A new pod's address is admitted by policies after about a second.
          for (let tries = 30; ; tries -= 1) {
            try {
              const signal = AbortSignal.timeout(5_000);
              const reply = await fetch('http://gateway:8080/offers/price-estimate', { method: 'POST', headers, body, signal });
              console.log(reply.status, await reply.text());
              process.exit(reply.ok ? 0 : 1);
            } catch (error) {
              if (tries === 0) throw error;
              await new Promise((resolve) => setTimeout(resolve, 1_000));
            }
          }
      env:
        - name: API_KEY
          valueFrom:
            secretKeyRef:
              name: {{ .Values.test.secret }}
              key: key
      resources:
        requests: { cpu: 50m, memory: 128Mi }
        limits: { memory: 128Mi }
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities:
          drop: [ALL]
{{- end }}
