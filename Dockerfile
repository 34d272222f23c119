# docker build -t pix-conformance . && docker run --rm -e PIX_BASE_URL -e PIX_API_KEY -v "$PWD:/report" pix-conformance
# The base is named by its minor version: it carries the security fixes of Python and Debian, and a digest would not.
FROM python:3.13-slim
COPY . /source
RUN pip install --no-cache-dir /source && rm -r /source
WORKDIR /report
ENTRYPOINT ["pix-conformance"]
