{{- define "kindred.labels" -}}
app.kubernetes.io/name: kindred
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "kindred.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{/* Settings of every process: the secret, and the values. */}}
{{- define "kindred.environment" -}}
envFrom:
  - secretRef:
      name: {{ .Values.secretName }}
env:
  {{- range $name, $value := .Values.settings }}
  - name: {{ $name }}
    value: {{ $value | quote }}
  {{- end }}
{{- end }}

{{- define "kindred.podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{- define "kindred.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end }}
