# docker build -t pix-conformance .
# docker run --rm --network host --user "$(id -u):$(id -g)" -v "$PWD:/report" -e PIX_BASE_URL -e PIX_CLIENT_ID -e PIX_CLIENT_SECRET -e PIX_API_KEY pix-conformance
# --network host lets it reach a service on this machine; --user lets it write the report into this directory.
# The base is named by its minor version: it carries the security fixes of Python and Debian, and a digest would not.
FROM python:3.13-slim AS build
RUN pip install --no-cache-dir "uv>=0.9,<1"
COPY . /source
ENV UV_PROJECT_ENVIRONMENT=/opt/pix-conformance UV_PYTHON=/usr/local/bin/python3 UV_LINK_MODE=copy
RUN uv sync --project /source --frozen --no-dev --no-editable --no-cache

FROM python:3.13-slim
COPY --from=build /opt/pix-conformance /opt/pix-conformance
RUN install -d -o 10001 -g 10001 /report
ENV PATH=/opt/pix-conformance/bin:$PATH HOME=/tmp PYTHONDONTWRITEBYTECODE=1
WORKDIR /report
USER 10001:10001
STOPSIGNAL SIGTERM
ENTRYPOINT ["pix-conformance"]
